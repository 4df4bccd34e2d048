/** What happened in a fleet since its start. */
export type Counts = {
  registrations: number;
  updates: number;
  sends: number;
  refused: number;
  unreachable: number;
  reads: number;
  writes: number;
  lost: number;
  lies: number;
  stuck: number;
  reboots: number;
  storms: number;
  clocks: number;
  rebinds: number;
  outages: number;
  deregistered: number;
};

export const noCounts = (): Counts => ({
  registrations: 0,
  updates: 0,
  sends: 0,
  refused: 0,
  unreachable: 0,
  reads: 0,
  writes: 0,
  lost: 0,
  lies: 0,
  stuck: 0,
  reboots: 0,
  storms: 0,
  clocks: 0,
  rebinds: 0,
  outages: 0,
  deregistered: 0,
});

export type Summary = Counts & { devices: number; registered: number; observed: number };

/** One line for people; what did not happen is left out, but for what every fleet does. */
export function sentenceOf(summary: Summary): string {
  const { devices, registered, observed, registrations, updates, reads, writes } = summary;
  const rare: [keyof Counts, string][] = [
    ['sends', 'reports of their own'],
    ['refused', 'refused'],
    ['unreachable', 'without answer'],
    ['lost', 'datagrams lost'],
    ['lies', 'writes acknowledged without effect'],
    ['stuck', 'sensors stuck'],
    ['reboots', 'reboots'],
    ['storms', 'storms'],
    ['clocks', 'clocks wrong'],
    ['rebinds', 'ports changed on the way'],
    ['outages', 'outages'],
    ['deregistered', 'de-registered'],
  ];
  return [
    `${registered} of ${devices} registered`,
    `${registrations} registrations`,
    `${updates} updates`,
    `${reads} reads`,
    `${writes} writes`,
    ...(observed > 0 ? [`${observed} resources observed`] : []),
    ...rare.flatMap(([name, words]) => (summary[name] > 0 ? [`${summary[name]} ${words}`] : [])),
  ].join(', ');
}
