/** A page for every member. Anyone who is not signed in is sent to sign in first. */
export const PAGE = { access: 'member', page: true } as const;

/** A page for admins only. */
export const ADMIN_PAGE = { access: 'admin', page: true } as const;
