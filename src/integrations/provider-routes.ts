import type { Static } from 'typebox';
import { callerOf, createStaticFile, type Routes, type StaticFile, withRight } from '../http/index.ts';
import { NextCursor, PageQuery, readPage, Type } from '../platform/index.ts';
import { CONFIDENCE } from './catalogue/proof.ts';
import { browserRoute } from './catalogue/schemas.ts';
import { providerCursorInvalid } from './errors.ts';
import type { UseCases } from './use-cases.ts';

const MOST_ON_PAGE = 100;
const PROVIDER_ID = /^[\w-]{1,60}$/;

const Text = Type.Union([Type.String(), Type.Null()]);

const ProviderQuery = Type.Object({
  q: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Only those with these words in their name, ID, category or aliases, the best first',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MOST_ON_PAGE,
      description: 'At most this many. Default: all, or 100 on later pages',
    }),
  ),
  cursor: PageQuery.properties.cursor,
});

const Providers = Type.Object({
  providers: Type.Array(
    Type.Object(
      {
        id: Type.String(),
        name: Type.String(),
        category: Type.String(),
        aliases: Type.Array(Type.String(), { description: 'What else people call it, for a search' }),
        confidence: Type.Union([Type.Enum([...CONFIDENCE]), Type.Null()], {
          description:
            "How far the entry can be trusted. `confirmed`: someone has connected at the provider itself. `documented`: the provider documents everything that the entry relies on, defaults included. `referenced`: what it states for connecting has public sources, such as other catalogs. `recalled`: a part of that is known only from memory, or is doubtful. Null for the operator's own entries",
        }),
        unconfirmed: Type.Array(Type.String(), {
          description:
            'Fields and defaults of the entry that are known only from memory, are doubtful, or have no source',
        }),
        configured: Type.Boolean(),
        ownCredentials: Type.Boolean(),
        retired: Text,
        developerUrl: Type.Union([Type.String(), Type.Null()], {
          description: 'Where to register an OAuth app at the provider, if known',
        }),
        popular: Type.Boolean({ description: 'Among the first to offer, where there is not room for all' }),
        params: Type.Array(
          Type.Object(
            {
              name: Type.String(),
              about: Type.String(),
              pattern: Type.String(),
              example: Type.String(),
              default: Text,
            },
            { title: 'ProviderParam' },
          ),
        ),
        requiredScopes: Type.Array(Type.String(), { description: 'Always requested: what identity and refresh need' }),
        scopes: Type.Array(Type.String(), { description: 'What connecting requests if it names no scopes' }),
        callbackUrl: Type.Union([Type.String(), Type.Null()], { description: 'Null for key-based providers' }),
        settings: Type.Array(Type.String()),
        privateKey: Type.Enum(['always', 'never', 'possibly'], {
          description: 'Whether an OAuth app has a private key instead of a secret. `possibly` if its issuer decides',
        }),
        webhook: Type.Union(
          [
            Type.Object({
              url: Type.String(),
              setting: Type.String(),
              about: Type.String({ description: 'Where the address is entered, and where the secret comes from' }),
              byClientSecret: Type.Boolean({ description: 'The client secret signs, so the setting is not needed' }),
              reportsWithdrawal: Type.Boolean({ description: 'Whether it also says that access was withdrawn' }),
            }),
            Type.Null(),
          ],
          {
            description:
              "Where webhooks of the operator's OAuth app are received, and the setting with the secret that verifies them. Null if none are",
          },
        ),
        kind: Type.Enum(['oauth2', 'api_key', 'basic', 'client_credentials'], {
          description:
            'How it is connected: through OAuth, or with what a person enters (`PUT /api/integrations/{provider}/key`): a key, or a client ID and secret that access tokens are requested with',
        }),
        fields: Type.Array(
          Type.Object(
            {
              name: Type.String(),
              label: Type.String(),
              about: Type.String({ description: 'Where to find it' }),
              secret: Type.Boolean(),
              pattern: Text,
              maxLength: Type.Union([Type.Integer(), Type.Null()]),
            },
            { title: 'ProviderField' },
          ),
          { description: 'What a key consists of. Empty for `oauth2`' },
        ),
        clientFields: Type.Array(
          Type.Object(
            {
              name: Type.String(),
              label: Type.String(),
              about: Type.String({ description: 'Where to find it' }),
              secret: Type.Boolean(),
              setting: Type.String(),
            },
            { title: 'ProviderClientField' },
          ),
          { description: 'What an OAuth app has besides its client ID and secret, and the setting for each' },
        ),
        docs: Type.Union([Type.String(), Type.Null()], { description: "The provider's own page about its keys" }),
        sites: Type.Union([Type.String(), Type.Null()], {
          description:
            'If one consent may cover several, and one of them has to be chosen: what the provider calls them, such as `site` or `organization`. Null if there is nothing to choose',
        }),
        api: Type.Union(
          [Type.Object({ url: Type.String(), hosts: Type.Record(Type.String(), Type.String()) }), Type.Null()],
          {
            description:
              "Where the proxy sends requests, with placeholders for what differs between connections, and its other hosts by name. Null for connect sessions, which can't use the proxy",
          },
        ),
      },
      { title: 'Provider' },
    ),
  ),
  nextCursor: NextCursor,
});

const toFile = (bytes: Buffer): StaticFile => createStaticFile('application/json; charset=utf-8', bytes, 'no-store');

/** Keeps the latest response, compressed. Most teams get the same list, so the next request can usually reuse it. */
const keepLatest = () => {
  let latest: { bytes: Buffer; file: StaticFile } | undefined;
  return (bytes: Buffer): StaticFile => {
    if (!latest?.bytes.equals(bytes)) latest = { bytes, file: toFile(bytes) };
    return latest.file;
  };
};

export const providerRoutes =
  (integrations: UseCases): Routes =>
  (server) => {
    const toWhole = keepLatest();

    server.get(
      '/api/integrations/providers',
      withRight(
        'status',
        browserRoute('member', {
          summary: 'List the provider catalog',
          description:
            'What can be connected, what each provider needs, and the exact callback URL to register. All of it is several hundred kilobytes, so read it in pages (`limit`), or search for what somebody types (`q`). Without `limit`, it comes as a whole.',
          querystring: ProviderQuery,
          response: { 200: Providers },
        }),
      ),
      async (request, reply) => {
        const { teamId, providers: only, via } = callerOf(request);
        const { q, cursor, limit } = request.query;
        // Without a limit and a cursor, list everything. `readPage` can't do that: it limits how much text a page has,
        // and many entries of the operator's own exceed that.
        const { rows, nextCursor } =
          limit === undefined && cursor === undefined
            ? { rows: await integrations.listProviders(teamId, { only, q }), nextCursor: null }
            : await readPage(
                { limit: limit ?? MOST_ON_PAGE, cursor },
                {
                  read: (after, most) => integrations.listProviders(teamId, { only, q, after, most }),
                  keyOf: ({ id }) => id,
                  shape: PROVIDER_ID,
                  refuseCursor: providerCursorInvalid,
                },
              );
        const providers = via === 'connect_session' ? rows.map((entry) => ({ ...entry, api: null })) : rows;
        const content = { providers, nextCursor } satisfies Static<typeof Providers>;
        const bytes = Buffer.from(String(reply.serialize(content)));
        const file = only || Object.keys(request.query).length > 0 ? toFile(bytes) : toWhole(bytes);
        return file.send(request, reply);
      },
    );
  };
