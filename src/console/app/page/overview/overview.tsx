import { useAsk } from '../../client/ask.ts';
import { useAgainOn } from '../../live/use-live.ts';
import { Amount } from '../../part/amount.tsx';
import { Loaded } from '../../part/loaded.tsx';
import { Facts, Page } from '../../part/page.tsx';
import { overviewWords } from '../../word/overview.ts';

/** What needs eyes first. */
export function Overview() {
  const w = overviewWords();
  const health = useAsk('GET /data/dashboard/system/health', {});
  useAgainOn(['device', 'alarm'], health.again);
  return (
    <Page title={w.title}>
      <Loaded asked={health} rows={4}>
        {({ devices, drivers }) => (
          <Facts
            of={[
              [w.devices, devices && <Amount value={w.of(devices.online, devices.total)} />],
              [w.drivers, drivers && <Amount value={w.of(drivers.online, drivers.total)} />],
            ]}
          />
        )}
      </Loaded>
    </Page>
  );
}
