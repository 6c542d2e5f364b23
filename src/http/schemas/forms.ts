import { parse } from 'node:querystring';
import type { FastifyInstance } from 'fastify';
import { badRequest } from '../errors.ts';

/** More than any form of ours holds. A stranger may send one, too. */
export const FORM_MOST_BYTES = 64 * 1024;
const MOST_FIELDS = 1_000;

/** A scope whose routes also take the forms of pages. As in JSON there is no NUL: PostgreSQL cannot store one in a text. */
export const useForms = (scope: FastifyInstance): void => {
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: FORM_MOST_BYTES },
    (_request, body, done) => {
      const text = String(body);
      if (text.includes('%00') || text.includes('\0')) return done(badRequest('The form contains a NUL character.'));
      done(null, parse(text, '&', '=', { maxKeys: MOST_FIELDS }));
    },
  );
};
