import assert from 'node:assert/strict';
import { BROWSER, type ConnectStage } from './connect-flow.ts';
import type { ConsentOptions } from './provider-simulator/give-consent.ts';
import type { Session } from './sessions.ts';

/** The address of the link with these words. */
export const linkIn = (page: string, words: RegExp): string => {
  const [, address = ''] =
    [...page.matchAll(/<a [^>]*href="([^"]+)"[^>]*>(?:(?!<\/a>).)*/gs)].find(([link]) => words.test(link)) ?? [];
  assert.notEqual(address, '', `there is a link ${words}`);
  return address.replaceAll('&amp;', '&');
};

/** What people do on the pages, as a browser does it for them. */
export const createPageVisits = (flow: ConnectStage) => {
  const visit = (path: string, session: Session) => flow.get(path, { ...BROWSER, ...session.headers });

  return {
    visit,
    async read(path: string, session: Session, status = 200): Promise<string> {
      const answer = await visit(path, session);
      assert.equal(answer.statusCode, status, answer.body);
      assert.match(String(answer.headers['content-type']), /^text\/html/);
      assert.doesNotMatch(
        answer.body,
        /style=|<script(?! type="module" src="\/assets\/[a-z-]+\.js"><\/script>)| on[a-z]+=/,
      );
      return answer.body;
    },
    submit: (path: string, fields: Record<string, string>, session: Session) =>
      flow.stage.server.inject({
        method: 'POST',
        url: path,
        headers: { ...BROWSER, ...session.headers, 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams({ _csrf: session.csrfToken, ...fields }).toString(),
      }),
    /** From a connect link to the response that the person gets after the consent. */
    async follow(link: string, session: Session, options: ConsentOptions = {}) {
      const begun = await visit(link, session);
      assert.equal(begun.statusCode, 302, begun.body);
      return visit(flow.consent(String(begun.headers.location), options), session);
    },
  };
};
