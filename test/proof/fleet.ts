import { removeBus } from '../support/neighbours/rabbitmq.ts';
import { FleetBench } from '../support/runs/driver-fleet/bench.ts';
import { onEngine } from './on-engine.ts';
import { linesOf, type Proof } from './proof.ts';

const size = {
  devices: 1_000,
  lifetimeS: 60,
  faultsMs: 600_000,
  chances: { reboot: 0.01, rebind: 0.01, outage: 0.001 },
};

/** Devices with faults at two driver nodes; `npm run prove -- fleet 10` runs a tenth of the devices for a tenth of the time. */
export const fleet: Proof = async ({ print, only }) => {
  const amqpUrl = process.env['AMQP_URL'];
  if (!process.env['DATABASE_URL'] || !amqpUrl)
    return { failed: 1, report: ['DATABASE_URL and AMQP_URL are needed'] };
  const share = only === '' ? 1 : Number(only) / 100;
  const prefix = `svc_fleet_${process.pid}`;
  const { lines, say } = linesOf(print);
  let failed = 0;
  await onEngine('postgres', async (environment) => {
    const whole = { ...environment, AMQP_URL: amqpUrl, SVC_BUS_PREFIX: prefix };
    const devices = Math.ceil(size.devices * share * 0.5) * 2;
    const faultsMs = size.faultsMs * share;
    const bench = await FleetBench.open(whole, { ...size, devices, faultsMs });
    try {
      const { facts, wrong } = await bench.run();
      failed = wrong.length;
      say(`${devices} devices, half of them over DTLS, 5 % of the datagrams lost each way`);
      say('');
      for (const fact of facts) say(`- ${fact}`);
      for (const each of wrong.slice(0, 50)) say(`- wrong: ${each}`);
    } finally {
      await bench.close();
      await removeBus(amqpUrl, prefix);
    }
  });
  return { failed, report: lines };
};
