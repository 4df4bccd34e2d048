/** What a label can be; `null`: one of a bounded number of names that only the running process knows. */
type Labels = Readonly<Record<string, readonly string[] | null>>;

/** A figure of `/metrics`; `says` is its help text. */
export type Figure = { kind: 'counter' | 'gauge' | 'duration'; says: string; labels: Labels };

const COMMAND_ENDS = ['SUCCESS', 'FAILED', 'EXPIRED', 'UNKNOWN'] as const;
const ACTION_ENDS = [
  'EXECUTED',
  'MISMATCH',
  'FAILED',
  'UNKNOWN',
  'REJECTED',
  'WITHDRAWN',
  'EXPIRED',
] as const;
const TOOL_ENDS = ['done', 'denied', 'wrong', 'refused', 'failed'] as const;

/**
 * The figures of a process by name (docs/specification/outages.md, Figures). None has a label for a tenant, a device
 * or a person: their number must not grow with the plant.
 */
export const FIGURES = {
  svc_ready: {
    kind: 'gauge',
    says: '1 while /readyz answers ready, else 0',
    labels: {},
  },
  svc_waiting_for: {
    kind: 'gauge',
    says: '1 for each part that the process waits for (waitingFor of /readyz)',
    labels: { part: null },
  },
  svc_degraded: {
    kind: 'gauge',
    says: 'What works and is worse than it should be: sentences in degraded of /readyz',
    labels: {},
  },
  svc_http_seconds: {
    kind: 'duration',
    says: 'Requests by part of the API and class of status, without streams of events',
    labels: { part: null, status: ['2xx', '3xx', '4xx', '5xx'] },
  },
  svc_database_connections: {
    kind: 'gauge',
    says: 'Connections of the pool to the database',
    labels: { state: ['busy', 'idle'] },
  },
  svc_disk_free_bytes: {
    kind: 'gauge',
    says: 'Free on the disk of the embedded database',
    labels: {},
  },
  svc_database_waiting: {
    kind: 'gauge',
    says: 'Transactions that wait for a connection to the database',
    labels: {},
  },
  svc_bus_up: {
    kind: 'gauge',
    says: '1 while a message can be published, as far as known; else 0',
    labels: {},
  },
  svc_bus_queue_messages: {
    kind: 'gauge',
    says: 'Messages that wait in the queues that this process reads',
    labels: { queue: null },
  },
  svc_bus_dead_letters: {
    kind: 'gauge',
    says: 'Messages that no consumer could take; the same number from each data center',
    labels: {},
  },
  svc_values_total: {
    kind: 'counter',
    says: 'Values of drivers that were stored, or refused because their point or driver is another',
    labels: { driver: null, outcome: ['stored', 'refused'] },
  },
  svc_value_lag_seconds: {
    kind: 'duration',
    says: 'Time from the origin of the newest value of a message until the message is stored',
    labels: { driver: null },
  },
  svc_commands_total: {
    kind: 'counter',
    says: 'Reads, writes and calls of devices that ended',
    labels: { kind: ['point', 'call'], outcome: COMMAND_ENDS },
  },
  svc_actions_total: {
    kind: 'counter',
    says: 'Proposals that ended; one that ended UNKNOWN and is proved later counts again',
    labels: { outcome: ACTION_ENDS },
  },
  svc_actions_waiting: {
    kind: 'gauge',
    says: 'Proposals that wait for a person; the same number from each agentic center',
    labels: {},
  },
  svc_notifications_total: {
    kind: 'counter',
    says: 'Tries to deliver a notification; RETRY is tried again',
    labels: { channel: null, outcome: ['SUCCESS', 'RETRY', 'FAILED'] },
  },
  svc_channels_unnotified: {
    kind: 'gauge',
    says: 'Channels that failed deliveries keep from knowing of alarms that fire; the same from each data center',
    labels: {},
  },
  svc_tool_calls_total: {
    kind: 'counter',
    says: 'Calls of tools over MCP and in the chat',
    labels: { tool: null, outcome: TOOL_ENDS },
  },
  svc_tool_seconds: {
    kind: 'duration',
    says: 'Calls of tools over MCP and in the chat, waiting calls included',
    labels: { tool: null },
  },
  svc_agent_budget_refused_total: {
    kind: 'counter',
    says: 'Calls of agents that a used-up budget refused',
    labels: { budget: ['calls', 'deviceReads', 'proposals', 'outputTokens'] },
  },
  svc_driver_registered: {
    kind: 'gauge',
    says: '1 while the driver of this process is registered, else 0',
    labels: { driver: null },
  },
  svc_driver_devices: {
    kind: 'gauge',
    says: 'Devices that this process serves, by their connection',
    labels: { driver: null, status: ['ONLINE', 'OFFLINE', 'FAULT', 'MAINTAIN'] },
  },
  svc_driver_spool_bytes: {
    kind: 'gauge',
    says: 'Values on the disk of the driver that wait for the message bus, in compressed bytes',
    labels: { driver: null },
  },
  svc_driver_values_dropped_total: {
    kind: 'counter',
    says: 'Values that the driver dropped because its spool was full while the message bus was unavailable',
    labels: { driver: null },
  },
} as const satisfies Record<string, Figure>;

type FigureName = keyof typeof FIGURES;
export type OfKind<K extends Figure['kind']> = {
  [N in FigureName]: (typeof FIGURES)[N]['kind'] extends K ? N : never;
}[FigureName];

/** The labels of a figure with their values. */
export type LabelsOf<N extends FigureName> = {
  [
    L in keyof (typeof FIGURES)[N]['labels']
  ]: (typeof FIGURES)[N]['labels'][L] extends readonly (infer V)[] ? V : string;
};
