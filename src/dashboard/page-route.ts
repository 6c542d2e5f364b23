/** A page for everybody of the team: whoever is not signed in is led to the sign-in first. */
export const PAGE = { access: 'member', page: true } as const;

/** A page for admins alone. */
export const ADMIN_PAGE = { access: 'admin', page: true } as const;
