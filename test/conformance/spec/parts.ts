/**
 * The specification, part by part: under each chapter and section the numbers of its rules, or the words in bold that
 * its statements begin with, in the order of the text, and how many statements each has where it is not one.
 */
export const parts: Readonly<Record<string, string>> = {
  'actions.md, Proposal':
    'Record · One · Tool · Expiry · Refusal · Bound · Other proposals · Reason · Key ×2 · Rejected before · Current value',
  'actions.md, Card and digest':
    'Configuration · Renewed card · Moved value · Dead-band · Dispatch ×2 · Direct write · Unrelated change · Proposer · Secrets · Wire · Raw value',
  'actions.md, Tainted':
    'Card · Answers · Confirm · Change log · Lists · Resent · Orders · Names · Program · Platform · Fields · Source · End · Obedient agent · Forged',
  'actions.md, Decisions': 'Confirm ×2 · Reject · Race · Withdraw ×2 · Repetition · Other decision',
  'actions.md, Standing approvals':
    'Switch · Card · Maker · Agent · Points · Answer · Range and step · Rate, hours and number · Left to a person · Void · Revoked',
  'actions.md, Several writes as one':
    'Card · Refusal · Points · Changed · Order · Stop · Drift · Time · Switch ×2 · Once · Sentence · Not confirmed',
  'actions.md, Review page': 'Login · Card · Confirm · Two people · Restart · Right · Foreign',
  'actions.md, States of an action': 'End · Correction · Old card',
  'actions.md, Outcome': 'Command · Action · Present · Not read · Quotation · Faults · Told ×2',
  'actions.md, Evidence':
    'Proof · Other reading · No proof · Value before ×2 · Later write · Import · Doubt · Once · Next card',
  'alarms.md, Alarm, rule and notification records':
    'svc_entity_alarm ×2 · svc_rule ×3 · svc_rule_state ×3 · svc_notify ×3 · svc_notify_channel ×2 · svc_notify_history ×2 · svc_event_history ×2',
  'alarms.md, Enumerations':
    'alarm_source_flag ×5 · alarm_type_flag ×5 · alarm_level_flag ×2 · confirm_flag ×2 · entity_state_flag ×2 · channel_type_flag ×2 · status_flag (notify history) ×2 · event_type_flag · event_level_flag · acknowledge_flag',
  'alarms.md, Alarm rules': '1 ×6 · 2 · 3 ×2',
  'alarms.md, States of a rule':
    'State · Facts · Spam · Duration · Recovery · Late values · Changed rule',
  'alarms.md, Previews of rules':
    'Same decisions ×2 · Before and after · Nothing stored · Imported values · Bounds · Span · Tenant · Right',
  'alarms.md, Alarm origins':
    'Rule threshold · Heartbeat timeout of a device or driver ×2 · Device-reported fault · Driver-reported anomaly · Event report · Rules on devices · Silence',
  'alarms.md, Episodes':
    'Facts · Count · End · Outage · Quotation · Active alarms ×2 · Search ×2 · Left out · Look-up ×2 · Confirmation · Note',
  'assistant.md, Assistant records':
    'Conversation messages (svc_message) ×6 · Session (svc_session) ×3 · Attachment (svc_attachment) ×3 · Model provider (svc_model_provider) ×8 · api_key ×4',
  'assistant.md, Models':
    'Choice ×2 · Demo · None · Parameters ×2 · Repetition · Fallback · Reasoning ×4 · Reason · Time · Breaker',
  'assistant.md, Usage': 'Steps · Estimates ×2 · Sums · Budgets ×3 · Claims ×2',
  'assistant.md, Chat completions':
    '1 · 2 ×3 · 3 ×4 · 4 · 5 ×2 · Options ×5 · Reasoning ×2 · Log probabilities · Answer format · Refusal · Images and PDFs ×2 · Text files · Uploaded images ×4 · Uploaded PDFs ×3 · Side by side · Names · Trust ×2 · Taint · Choice · Not offered · Form · Branches ×2 · Events · Functions · Items · Citations · Structured output · Stateless · End users · Auxiliary requests · Clients ×3 · Faults · Lost turns · Lost proposals · Obedience · Failing model · Card',
  'assistant.md, Events of a turn': 'Citations ×2 · Resume ×3 · Stop · Limits · Errors',
  'assistant.md, Web pages elsewhere': 'Origins ×3',
  'assistant.md, Branches of a conversation':
    'Edit · Regenerate · Files ×2 · Order · Search · Export · Download',
  'assistant.md, Bounds of a turn':
    'Rounds · Calls · Same call · Turns · Time · Client ×2 · Scope · Deletion · Broken answer',
  'authorization.md, Authorization': '1 ×2 · 2 · 3 · 4 · 5',
  'authorization.md, Scopes and audiences':
    'Scope over REST · Scope over MCP · Reading scope · Audience · Challenge · Consent ×2 · Alarms · Confirmation · Address',
  'authorization.md, OAuth':
    'Code · Pages · Client credentials · Code reuse · Code lifetime · Refresh reuse ×3 · Unknown scopes · Grants ×2 · Resource · Registration ×4 · Refresh lifetime',
  'authorization.md, Keys':
    'Owner · Scopes · Audience · Interactive · Secret · Lifetime · Revocation · Account · New password · Count · Command line',
  'bus.md, Exchanges':
    'svc.e.value ×2 · svc.e.point_command · Routing · Schema · Confirmation · Pulse · Dead letters',
  'bus.md, Dead letters': 'Kept · Replay · Drop · Dying consumers · Own queue · Lost queue',
  'change-log.md, Change log':
    'Configuration · No change · Actions · Deletion · Secrets · Keys · Paging · Filters · Table · Tenant · Append only ×2',
  'commands.md, Command records': 'Command ×3 · Command history',
  'commands.md, Checks before a command': 'Value · Repetition · Conflict · Effect · Custom command',
  'commands.md, States of a command':
    'Result · First end · Failure · Expiry · Not sent · Not answered · Read back · Refused, held · Waiting · Changed point · Changed unit · Foreign answer · Foreign receipt · Custom command ×3',
  'commands.md, Devices that sleep': 'Sentence · Sent · Slept through · Silence',
  'commands.md, At most once':
    'Crash · Redelivery · Lost record · Clocks · Platform crash · Order · Deadline',
  'commands.md, Serving node':
    'Newest registration · First node · Hand-over · Away · Not read · Back in time · Copies · Lost news · Late news · Late word',
  'dashboards.md, Queries': 'Bounds · Refused · Permission',
  'dashboards.md, Values':
    'GET /api/v3/data/dashboard/stats/today · GET /api/v3/data/dashboard/stats/timeseries · GET /api/v3/data/dashboard/stats/activity · GET /api/v3/data/dashboard/stats/latency · GET /api/v3/data/dashboard/top · GET /api/v3/data/dashboard/stream · GET /api/v3/data/dashboard/silent/sources · GET /api/v3/data/dashboard/protocol/health · GET /api/v3/data/dashboard/coverage/gap',
  'dashboards.md, Alarms':
    'GET /api/v3/data/dashboard/alert/stats · GET /api/v3/data/dashboard/alert/latest · GET /api/v3/data/dashboard/alert/trend · GET /api/v3/data/dashboard/alert/activity · GET /api/v3/data/dashboard/alert/type_distribution · GET /api/v3/data/dashboard/alert/top_sources and /storm_sources · GET /api/v3/data/dashboard/alert/flapping · GET /api/v3/data/dashboard/alert/correlation ×3 · GET /api/v3/data/dashboard/alert/peer_deviation · GET /api/v3/data/dashboard/alert/aging · GET /api/v3/data/dashboard/alert/mtta · GET /api/v3/data/dashboard/alert/change_impact',
  'drivers.md, Schedules':
    'LwM2M collection · Custom job ×2 · Device health check ×2 · Cron strings · Collection ×3 · Registration',
  'drivers.md, Virtual driver': 'Signal · Set-point · Follow · Noise',
  'endpoints.md, Envelope': 'Success',
  'endpoints.md, Paging': 'Cursor',
  'endpoints.md, Types': 'Secrets ×2',
  'endpoints.md, Limits of bodies': 'Caller first ×3',
  'endpoints.md, Live stream':
    'First state · Values · Cursor · Slow readers · Gap · Permissions · Rights · Session · Token · Process · Layout',
  'endpoints.md, Endpoints':
    'Paths · Headers · POST /api/v3/auth/token/salt · POST /api/v3/auth/token/generate · POST /api/v3/manager/device/add · POST /api/v3/data/point_value/latest · POST /api/v3/data/point_command/read · POST /api/v3/data/point_command/write ×2 · GET /api/v3/data/point_command_history/get_by_command_id · POST /api/v3/data/dashboard/alert/page ×3 · POST /api/v3/agentic/chat/completions · POST /api/v3/agentic/action/confirm and /reject · POST /mcp and GET /.well-known/oauth-protected-resource · GET /.well-known/oauth-protected-resource',
  'errors.md, Errors':
    'Login check · Password expired or to be changed · Token from before a logout · X-Auth-Principal absent · X-Auth-Sign wrong · Principal without ids · Permission missing, or permissions that cannot be loaded · Entity missing or of another tenant · Secret empty or the default in pre and pro · Command not taken within 10 s · Failed write command ×2 · Action past its ten minutes · Internal error',
  'events.md, Device event reports': '1 ×2 · 2 · 3 · Rules · Clock ahead',
  'firmware.md, Packages': 'Package ×2',
  'firmware.md, Roll-outs': 'Wave · Failure share ×3 · Person · Never reached',
  'firmware.md, Proposal':
    'Action · One · Left out · Address · Taint · Bound · Budget · Found · Switch · Tool',
  'firmware.md, Confirmation': 'Once · Drift · Proposer · Switch · Held · Device · End',
  'firmware.md, The end of an update':
    'Push · Loss · Loss of power ×2 · Refusal · Same version · Queue mode ×2 · Restart · Patience · Order ×2 · Result · Later ×2',
  'identity.md, Identity and access tables':
    'Columns · svc_principal ×3 · svc_local_credential ×4 · svc_tenant_membership ×2 · svc_role_principal_bind · svc_role_resource_bind · svc_resource · svc_identity_provider, svc_external_identity',
  'identity.md, Accounts':
    'Login names ×2 · Rights · Audit ×8 · Menu · Passwords ×2 · Last administrator',
  'identity.md, Refusals':
    'Denied ×2 · Reading · Credentials ×3 · Clients · Tenants · Floods · Given ×2 · Platform ×2 · Tried ×6 · Source',
  'identity.md, Seals of the logs':
    'Chain · Changed · Deleted · Exchanged · Removed seals · Inserted · Outside head · Verifying',
  'identity.md, Tenants': 'Adding · Switching off · Deleting · Other tenants',
  'limits.md, Limits':
    'Salt · Access token · Permission cache · Command ×2 · Pending action · Events · Waiting · Live streams · Subscriptions · Budgets of agents ×2 · Calls of keys ×3 · Repeated calls · Chat history window ×2 · AGENTIC_MEMORY_MAX_MESSAGES ×2 · AGENTIC_FALLBACK_OPENAI_TEMPERATURE ×3 · AGENTIC_FALLBACK_OPENAI_MAX_TOKENS ×2 · LwM2M ports ×4 · Bodies under way ×2 · JSON · Silent clients ×2 · Rows of strangers ×3 · Security events ×3 · Headers',
  'limits.md, Settings':
    'AGENTIC_FALLBACK_OPENAI_BASE_URL ×2 · AGENTIC_FALLBACK_OPENAI_API_KEY · AGENTIC_FALLBACK_OPENAI_MODEL · AGENTIC_TOOL_CALLING_ENABLED ×2 · AGENTIC_MEMORY_ENABLED ×2 · AGENTIC_MEMORY_SCHEMA_INIT ×4 · AGENTIC_ATTACHMENT_STORAGE_PATH ×2 · Impossible value ×2 · Unknown variable · Documentation',
  'login.md, Headers on protected calls': 'X-Auth-Tenant · X-Auth-Login · X-Auth-Token ×2',
  'login.md, Login rules':
    '1 ×2 · 2 ×2 · 3 · 4 ×4 · 4.1 · 4.2 · 4.3 · 4.4 · 4.5 ×4 · 5 ×2 · 6 ×2 · 7 · 8 · 9',
  'login.md, Sessions of browsers':
    'Cookie ×2 · Token · Begin ×3 · Proof · Other sites ×2 · Other credentials · Rights · End ×2 · Processes',
  'login.md, Throttling':
    'Source · Requests · Known source · Names · Ceiling ×4 · Burst · Forged headers · Proxy · Hashes ×2 · Causes',
  'lwm2m.md, LwM2M driver attributes':
    'Identity · endpoint ×2 · serverHost ×2 · serverPort · securityMode ×3 · Name · pskIdentity · pskKey ×5 · pskNextKey ×2 · factoryKey ×4 · awakeTime · commandLife · observeComposite ×2 · objectId · objectInstanceId · resourceId · resourceInstanceId ×2 · observe ×2 · pmin ×2 · Path · Commands',
  'lwm2m.md, LwM2M operations':
    'Write · Value ×2 · Write-composite · Create ×2 · Delete · Execute · Attributes · Discover · Read ×3 · Outcome · Bounds ×2 · People',
  'lwm2m.md, LwM2M driver interactions':
    'Registration ×3 · Path · Refusal ×2 · Silence · Execute · Opaque · Observation ×7 · Lost observation ×6 · Restart ×4 · Sessions ×3 · Fleet · Strangers · Datagrams · Floods · Bytes · Interrupted upload · Bad registration · Lifetime · Start · Old device · Binding · Conformance · Root path · Link format',
  'lwm2m.md, Queue mode':
    'Waiting · Order · Slept through · New registration · Restart · Bound · Disabled · Reads',
  'lwm2m.md, Composite reads': 'Together ×2 · Refused · Left out · Collection',
  'lwm2m.md, Send': 'Values · Waking · Muted · Refused · Repetition · Kind',
  'lwm2m.md, Formats':
    'Formats · Broken payloads · Bounds · Kind · SenML · Choice · Next format · Own format · Writes ×2 · New registration',
  'lwm2m.md, What a device registered':
    'Objects · Profile · Chosen · Suggested · Own profile · Shared profile · Whole · Other objects · Tenant · Restart · Agents · Bound',
  'lwm2m.md, Waiting endpoints':
    'Refused · Proof · Assigned ×2 · Present device · Wrong device · Taken · Bounds · Flood',
  'lwm2m.md, Endpoint claims': 'One owner · Keys ×3 · Free · Words · Restart · Handing over',
  'lwm2m.md, Takeover':
    'Answering device · Silent device · Restart · Other port · Other copy ×2 · Verification',
  'lwm2m.md, DTLS':
    'Refusals · Cookie ×2 · Suites ×2 · Bounds · Connection id ×2 · Claim · Wrong key · Downgrade · Replay · One name',
  'lwm2m.md, CoAP':
    'Repetition · Slow answer · One peer · Forged source · Retransmission · Other answer · Message ids ×2 · Blocks ×2 · Notification ×3 · Size',
  'notifications.md, Policy': 'Defaults · Escalation',
  'notifications.md, Silences': 'Held back · Made up for · Forgotten · Person',
  'notifications.md, Trying out': 'Test ×3 · Preview',
  'notifications.md, Delivery states': 'Pending · Dispatched · Retry ×3 · States',
  'notifications.md, Pipeline':
    'Transaction · Dispatch ×6 · Status ×2 · Retries ×3 · Outages · Reports · Duration · Failure',
  'notifications.md, Channels': 'Secrets · Words · Variables · Webhook ×2 · Mail · SMS · Egress ×2',
  'objects.md, Platform objects':
    'Driver ×3 · Profile ×2 · Device ×3 · Point ×3 · PointValue ×2 · Attribute · Config · Tenant · Time zone',
  'objects.md, Status of a device':
    'Never connected · Lease ended · Lists · Silence of the platform',
  'objects.md, Common fields': 'Null ×2',
  'objects.md, Names and codes': 'Name ×2',
  'objects.md, Tables of devices':
    'Check · Template · Formula · Slices ×2 · Columns · Preview · Refused row · Import · Author · Taken identity · Number · Crash · Export · Secret · Rows that wait · Rights',
  'outages.md, Readiness': 'Drivers · Broker · Quorum · Gateway · Health',
  'outages.md, Outages':
    'Read-only database · Database away · Cause · Commands · No confirm · Accepted command · Silence · Real silence · Registration · Crash · Embedded database ×2 · Bad batch · Stop',
  'outages.md, Clients that go away': 'Doors · Nothing left',
  'outages.md, Logs': 'Secrets · Lines · Terminal · Outage',
  'service.md, Components':
    'Gateway ×4 · Auth center · Manager center · Data center · Agentic center · Drivers · Processes',
  'service.md, Main thread': 'Onboard · Command · Alarm · Notification · Recovery · Language',
  'service.md, Rules of the service': '1 ×2 · 2 · 3 ×4 · 4 ×2 · 5 ×2 · 6',
  'service.md, First minutes':
    'Port · LwM2M port · Second start · Output · Settings · Password ×2 · Repository',
  'service.md, Versions of code and schema': 'Compared · Line ends · Linked program · Advisories',
  'service.md, Versioning': '1 · 2 · 3',
  'tenant-isolation.md, Tenant isolation': '1 ×2 · 2 · 3 · 4 ×8 · 5',
  'tools.md, Built-in assistant tools':
    'TenantTool · UserTool · DeviceTool · DriverTool · ProfileTool · PointTool · PointValueTool · SystemTool · CommandTool · EventTool · AlarmTool ×2 · Methods ×2 · Size ×3 · Tenant · Time zone · Names ×4 · Searches ×2 · Size of an answer ×2 · Next · Handover ×2 · Silence · Proposals ×2 · Change log ×3 · Events ×3 · Waiting',
  'tools.md, Values of now': 'Row · Silence · Filters ×2 · Length',
  'tools.md, History of values':
    'Several points · Window · Expected · Mean · Gap · Findings ×2 · Many values · Comparison · Texts · Samples · Plot · Length',
  'tools.md, Rules of the tools': '1 ×3 · 2 · 3 ×2 · 4 · 5 ×4 · 6',
  'tools.md, Texts of devices and users': 'Every tool · Stripped · Quoted',
  'tools.md, MCP':
    'Resources · Alarm · Rights · Clients · Connection · Revocation ×2 · Read-only switch ×3 · Kill switch ×3 · Switches · Budget ×4 · Repeated calls ×2 · Trace ×2 · Audit · Without a token · Login headers · Hidden tools · Scope of a tool · Bad argument · Answers · Size of a resource · Subscriptions ×4 · Foreign ids',
  'trust.md, Gateway to backend trust':
    '1 ×2 · 2 · 3 · 4 ×4 · 5 · 6 ×3 · 7 ×2 · Host ×3 · Other sites · Strange proxy ×2 · Lifetime · Other signer · Address ×2',
  'values.md, Scaling': 'Scaling · Bad reading · Inverse',
  'values.md, Identity and order': 'Clock ahead ×2 · One millisecond · Moved device',
  'values.md, Age and quality': 'Stale · Interval · Reason · Quality',
  'values.md, Why no data':
    'Registration · Key in clear · Other name · Answers · Off · Driver · First value · Last read · Order · Words · Pair',
  'values.md, Past values': 'Repetition · Effect · Check · Audit · Bound',
  'values.md, Tables of values': 'Order · Formula · Rights',
  'values.md, Trends of values': 'Parts · Gap · Bound · Rights',
};
