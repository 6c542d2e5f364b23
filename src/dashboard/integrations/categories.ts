/** The categories of the catalog, in few enough groups to choose from. In alphabetical order. */
const GROUPS = {
  'Chat and calls': ['chat', 'telephony', 'communication', 'video'],
  'Code and data': ['code', 'dev-tools', 'operations', 'data', 'analytics', 'ai', 'search', 'identity', 'iam'],
  Commerce: ['commerce', 'e-commerce'],
  CRM: ['crm'],
  'Documents and design': ['documents', 'storage', 'design', 'knowledge-base', 'legal', 'cms'],
  'Mail and calendar': ['mail and calendar'],
  Marketing: ['marketing', 'social', 'forms', 'surveys'],
  'Payments and accounting': ['payments', 'payment', 'accounting', 'banking', 'erp'],
  People: ['payroll', 'hr', 'ats'],
  Projects: ['projects', 'productivity'],
  Support: ['support', 'ticketing', 'field service'],
  Other: ['fitness', 'media', 'sports', 'other'],
} as const satisfies Record<string, readonly string[]>;

export type Category = keyof typeof GROUPS;

export const CATEGORIES = Object.keys(GROUPS) as Category[];

const KNOWN = new Map(
  Object.entries(GROUPS).flatMap(([group, categories]) =>
    categories.map((category) => [category as string, group as Category] as const),
  ),
);

/** Whether the category is in a group, which may be `Other`. */
export const isKnownCategory = (category: string): boolean => KNOWN.has(category);

/** The group of a category. Entries that the operator has added may have any category. */
export const categoryOf = (category: string): Category => KNOWN.get(category) ?? 'Other';

/** The slug of a group: `Mail and calendar` → `mail-and-calendar`. */
export const slugOf = (category: Category): string => category.toLowerCase().replaceAll(' ', '-');

/** Finds a group by its slug in a URL. */
export const findCategory = (slug: string): Category | null => CATEGORIES.find((one) => slugOf(one) === slug) ?? null;
