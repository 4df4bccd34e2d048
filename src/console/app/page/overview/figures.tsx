import { useAsk } from '../../client/ask.ts';
import { may } from '../../client/session.ts';
import { useAgainOn } from '../../client/use-live.ts';
import { Facts, Section } from '../../part/page.tsx';
import { Amount } from '../../part/value/amount.tsx';
import { overviewWords } from '../../word/overview.ts';

const RIGHT = 'svc-center-data:dashboard:list';

/** How much goes on. */
export function Figures() {
  const w = overviewWords();
  const asks = may(RIGHT) ? {} : null;
  const health = useAsk('GET /data/dashboard/system/health', asks);
  const today = useAsk('GET /data/dashboard/stats/today', asks);
  useAgainOn(['device'], health.again);
  if (asks === null || health.failure || today.failure) return null;
  const { devices, drivers } = health.data ?? { devices: null, drivers: null };
  return (
    <Section title={w.figures.title}>
      <Facts
        of={[
          [w.figures.devices, devices && <Amount value={w.of(devices.online, devices.total)} />],
          [w.figures.drivers, drivers && <Amount value={w.of(drivers.online, drivers.total)} />],
          [w.figures.today, today.data && <Amount value={count(today.data.today)} />],
          [w.figures.yesterday, today.data && <Amount value={count(today.data.yesterday)} />],
        ]}
      />
    </Section>
  );
}

/** In the way of the language: 12,345. */
const count = (n: number): string => n.toLocaleString();
