import { callApiTool } from './call-api.ts';
import { getCallTool, listCallsTool } from './calls.ts';
import { connectAccountTool } from './connect-account.ts';
import { findProvidersTool } from './find-providers.ts';
import { getApprovalTool } from './get-approval.ts';
import { getReportTool } from './get-report.ts';
import { listConnectionsTool } from './list-connections.ts';
import type { Tool } from './tool.ts';

/** All tools, in the order in which clients get them. */
export const TOOLS: readonly Tool[] = [
  findProvidersTool,
  listConnectionsTool,
  connectAccountTool,
  callApiTool,
  getApprovalTool,
  listCallsTool,
  getCallTool,
  getReportTool,
];
