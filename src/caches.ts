import { openStepsUnderWay } from './agentic/action/steps/send-next.ts';
import { openTurnPlaces } from './agentic/chat/places.ts';
import { openTurnQueues } from './agentic/chat/stream/order.ts';
import { openRecordings } from './agentic/chat/stream/recording.ts';
import { openChatOrigins } from './agentic/origin/origin.ts';
import { openModelHealth } from './agentic/provider/ask/health.ts';
import { openTenantFacts } from './agentic/provider/tenant-facts.ts';
import { openChannelTests } from './alarm/deliver/channel-test.ts';
import { openPreviews } from './alarm/rule/preview/turns.ts';
import { openRuleCache } from './alarm/rule/rule-cache.ts';
import { openRepeats } from './auth/agent/breaker.ts';
import { openAgentUsage } from './auth/agent/usage.ts';
import { openAuditQueue } from './auth/audit/background.ts';
import { openRefusals } from './auth/audit/refusal.ts';
import { openMcpAudit } from './auth/connection/audit.ts';
import { openHeard } from './auth/connection/heard/heard.ts';
import { openWhitelistCache } from './auth/connection/whitelist.ts';
import { openCeiling } from './auth/login/ceiling.ts';
import { openFailureWrites } from './auth/login/failure.ts';
import { openSaltProbes } from './auth/login/salt.ts';
import { openVisitLimit } from './auth/oauth/authorize-request.ts';
import { openRegistrationLimit } from './auth/oauth/client/registration.ts';
import { openProviders } from './auth/oauth/provider.ts';
import { openPermissionCache } from './auth/rights/permission.ts';
import { Buckets } from './auth/throttle/buckets.ts';
import { Throttle } from './auth/throttle/throttle.ts';
import { openVersions } from './auth/token/present.ts';
import { openTokenCache } from './auth/token/token-cache.ts';
import { BodiesUnderWay } from './core/body/under-way.ts';
import type { Clock } from './core/clock.ts';
import { openEndWaiters } from './data/command/ended.ts';
import { openHeldBack } from './data/command/send/held-back.ts';
import { openFollowedValues } from './data/value/live/follow.ts';
import { openValueFacts } from './data/value/value-facts.ts';
import type { Database } from './db/connect.ts';
import { openFollowedFeeds } from './feed/follow.ts';
import { openDriverNodes } from './manager/device/known-devices.ts';
import { openDeviceVersions } from './manager/device/version.ts';
import { openUnsent } from './manager/driver/unsent.ts';
import { openPlantNames } from './manager/find/plant-names.ts';
import { openMcpSessions } from './mcp/session/sessions.ts';

/**
 * What an App keeps in memory: caches, counters and queues, each made by the room that uses it and bounded
 * there. Nothing of it is shared between Apps, and nothing survives the process.
 */
export const openCaches = (clock: Clock, engine: Database['engine']) => ({
  feeds: openFollowedFeeds(),
  bodiesUnderWay: new BodiesUnderWay(),
  // auth
  oauthProviders: openProviders(),
  registrationLimit: openRegistrationLimit(clock),
  visitLimit: openVisitLimit(clock),
  permissions: openPermissionCache(clock),
  versions: openVersions(clock),
  verifiedTokens: openTokenCache(clock),
  /** One for logins over the API, logins on the pages and password changes. */
  loginThrottle: new Throttle(clock),
  callRates: new Buckets(clock),
  saltProbes: openSaltProbes(clock),
  ceiling: openCeiling(),
  failureWrites: openFailureWrites(),
  auditQueue: openAuditQueue(),
  refusals: openRefusals(),
  agentRepeats: openRepeats(clock),
  agentUsage: openAgentUsage(),
  whitelists: openWhitelistCache(clock),
  mcpAudit: openMcpAudit(),
  heard: openHeard(clock),
  // manager
  deviceVersions: openDeviceVersions(clock),
  driverNodes: openDriverNodes(),
  unsentUpdates: openUnsent(),
  plantNames: openPlantNames(),
  // data
  heldBack: openHeldBack(),
  endWaiters: openEndWaiters(),
  followedValues: openFollowedValues(),
  valueFacts: openValueFacts(clock),
  // alarm
  rules: openRuleCache(clock),
  channelTests: openChannelTests(clock),
  previews: openPreviews(),
  // agentic
  stepsUnderWay: openStepsUnderWay(),
  recordings: openRecordings(),
  turnQueues: openTurnQueues(),
  turnPlaces: openTurnPlaces(clock, engine),
  chatOrigins: openChatOrigins(clock),
  modelHealth: openModelHealth(clock),
  tenantFacts: openTenantFacts(clock),
  // mcp
  mcpSessions: openMcpSessions(),
});

export type Caches = ReturnType<typeof openCaches>;
