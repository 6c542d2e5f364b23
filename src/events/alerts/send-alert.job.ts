import { defineDispatchJobs } from '../../jobs/index.ts';

export const alertJobs = defineDispatchJobs('alert');
