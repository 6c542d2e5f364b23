import { defineDispatchJobs } from '../../jobs/index.ts';

export const reportJobs = defineDispatchJobs('report');
