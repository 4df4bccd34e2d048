import type { Tool } from '../src/kernel/app/app.ts';
import { drillTool } from './alarm/drill.ts';
import { lookupAlarm } from './alarm/lookup.ts';
import { alarmProposals } from './alarm/propose.ts';
import { ruleTools } from './alarm/rule.ts';
import { searchAlarms } from './alarm/search.ts';
import { actionTools } from './command/action.ts';
import { commandTools } from './command/command.ts';
import { firmwareTool } from './command/firmware.ts';
import { onboardingTool } from './command/onboarding.ts';
import { searchActionTools } from './command/search-actions.ts';
import { undoTool } from './command/undo.ts';
import { deviceTools } from './device.ts';
import { driverTools } from './driver.ts';
import { eventTools } from './event.ts';
import { fileTools } from './file.ts';
import { withDiscovery } from './found.ts';
import { manualTool } from './manual.ts';
import { pointTools } from './point.ts';
import { profileTools } from './profile.ts';
import { changeTools } from './system/change.ts';
import { feedTools } from './system/feed.ts';
import { handoverTools } from './system/handover.ts';
import { systemTools } from './system/system.ts';
import { unhealthyTool } from './system/unhealthy.ts';
import { tenantTools } from './tenant.ts';
import { userTools } from './user.ts';
import { pointValueTools } from './value/point-value.ts';

/** All tools that MCP and the chat offer. */
export const tools: readonly Tool[] = withDiscovery([
  ...tenantTools,
  ...userTools,
  ...fileTools,
  ...deviceTools,
  firmwareTool,
  manualTool,
  ...driverTools,
  ...profileTools,
  ...pointTools,
  ...pointValueTools,
  searchAlarms,
  lookupAlarm,
  ...ruleTools,
  ...alarmProposals,
  onboardingTool,
  drillTool,
  ...systemTools,
  ...changeTools,
  ...feedTools,
  ...handoverTools,
  unhealthyTool,
  ...commandTools,
  ...actionTools,
  ...searchActionTools,
  undoTool,
  ...eventTools,
]);
