import { callerOf, type Routes } from '../../http/index.ts';
import type { Administration } from './administration.ts';
import { forAdmins } from './managed-routes.ts';
import { StorageView } from './storage-view.ts';

export const storageRoutes =
  ({ getStorage }: Administration): Routes =>
  (server) => {
    server.get(
      '/api/telephony/storage',
      forAdmins({
        summary: 'Get how much the team stores',
        description:
          'Bytes of payloads (what providers sent, encrypted) and of recordings, and the limits set by the operator. Beyond them, calls are still answered and recorded, but payloads are reduced to their facts and recordings wait.',
        response: { 200: StorageView },
      }),
      (request) => getStorage(callerOf(request).teamId),
    );
  };
