type Schemas = Record<string, object>;
type Described = { components?: { schemas?: Schemas } };

/** Moves each object schema with a title to the components, so that generated clients have a type of that name. */
export const nameSchemas = <Document extends object>(document: Document): Document => {
  const taken = (document as Described).components?.schemas ?? {};
  const named: Schemas = {};
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    const visited = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, visit(inner)]));
    const { title, ...schema } = visited;
    if (typeof title !== 'string' || schema['type'] !== 'object') return visited;
    const known = named[title] ?? schema;
    if (title in taken || JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`Two different schemas are named ${title}.`);
    named[title] = schema;
    return { $ref: `#/components/schemas/${title}` };
  };
  const visited = visit(document) as Document & Described;
  const { components = {} } = visited;
  return { ...visited, components: { ...components, schemas: { ...components.schemas, ...named } } };
};
