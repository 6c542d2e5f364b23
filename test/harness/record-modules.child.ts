// Preloaded with `--import`: writes down the address of every module that the process loads.
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const file = process.env['RECORD_MODULES'] ?? '';

registerHooks({
  load(url, context, nextLoad) {
    appendFileSync(file, `${url}\n`);
    return nextLoad(url, context);
  },
});
