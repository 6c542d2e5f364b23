// The whole service on an existing database. The argument says where the database is.
import { reportToParent } from '../child-server.ts';
import { openApp, type Place } from './open-store.ts';

const place: Place = JSON.parse(process.argv[2] ?? '');
const app = openApp(place);
const server = await app.createServer();
// Open the queue of jobs and start the process for long reads, as the service does at startup.
await app.jobs.count();
await app.database.scan('select 1 as one', []);
const url = await server.listen({ host: '127.0.0.1', port: 0 });
reportToParent({ url, headers: { authorization: `Bearer ${place.cronSecret}` } });
