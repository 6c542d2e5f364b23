// The whole service on an existing database. The argument says where.
import { reportToParent } from '../child-server.ts';
import { openApp, type Place } from './open-store.ts';

const place: Place = JSON.parse(process.argv[2] ?? '');
const app = openApp(place);
const server = await app.createServer();
// As the service does before it is ready, and once it is.
await app.jobs.count();
await app.database.scan('select 1 as one', []);
const url = await server.listen({ host: '127.0.0.1', port: 0 });
reportToParent({ url, headers: { authorization: `Bearer ${place.cronSecret}` } });
