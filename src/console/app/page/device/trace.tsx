import { useAsk } from '../../client/ask.ts';
import type { AnswerOf } from '../../client/call.ts';
import type { Parameters } from '../../client/route.ts';
import { may } from '../../client/session.ts';
import { Button } from '../../part/control/button.tsx';
import { Empty, Loaded } from '../../part/control/loaded.tsx';
import { Link } from '../../part/link.tsx';
import { Page } from '../../part/page.tsx';
import { Chip, type State } from '../../part/value/mark.tsx';
import { Moment } from '../../part/value/time.tsx';
import { traceWords } from '../../word/trace.ts';

type Trace = AnswerOf<'GET /manager/device/trace/get_by_device_id'>;
type Exchange = Trace['exchanges'][number];
type Content = NonNullable<Exchange['request']>;

/** `/devices/:id/trace`: the last exchanges with a device, the latest first. */
export function DeviceTrace({ id = '' }: Parameters) {
  const w = traceWords();
  const device = useAsk(
    'GET /manager/device/get_by_id',
    may('svc-center-manager:device:get') ? { id } : null,
  );
  const asked = useAsk('GET /manager/device/trace/get_by_device_id', { deviceId: id });
  return (
    <Page
      title={w.title(device.data?.deviceName ?? id)}
      actions={
        <>
          <Link to={`/devices/${id}`}>{w.toDevice}</Link>
          <Button onPress={asked.again}>{w.again}</Button>
        </>
      }
    >
      <p class="quiet">{w.lead}</p>
      <Loaded asked={asked} rows={8}>
        {(trace) => (trace.stored ? <Exchanges trace={trace} /> : <Empty title={w.notStored} />)}
      </Loaded>
    </Page>
  );
}

function Exchanges({ trace: { since, dropped, exchanges } }: { trace: Trace }) {
  const w = traceWords();
  return (
    <>
      <p class="quiet small">
        {w.since} <Moment at={since} seconds /> {dropped > 0 && w.dropped(dropped)}
      </p>
      {exchanges.length === 0 && <Empty title={w.none} />}
      <ul class="list">
        {exchanges.toReversed().map((one, index) => (
          <Row key={`${one.at} ${index}`} one={one} />
        ))}
      </ul>
    </>
  );
}

function Row({ one }: { one: Exchange }) {
  const w = traceWords();
  const { at, ms, from, operation, path, resourceName, query, request, answer } = one;
  const { repeated, times, address, secure } = one;
  return (
    <li>
      <div class="row">
        <Chip {...outcomeOf(one)} />
        <Moment at={at} seconds />
        <span class="strong" lang="en">
          {operation}
        </span>
        <bdi class="tabular">{path}</bdi>
        {resourceName !== '' && <bdi>{resourceName}</bdi>}
        <span class="quiet">{w.from[from]}</span>
        {ms !== null && <span class="quiet tabular">{ms} ms</span>}
        {repeated > 0 && <span>{w.repeated(repeated)}</span>}
        {times > 1 && <span>{w.times(times)}</span>}
        <span class="quiet small">
          <bdi>{address}</bdi> {secure ? w.secure : w.clear}
        </span>
      </div>
      {query !== '' && (
        <p class="small">
          <bdi>{query}</bdi>
        </p>
      )}
      {request && <Payload word={w.request} of={request} />}
      {answer && <Payload word={w.answer} of={answer} />}
    </li>
  );
}

/** By its code or the lack of one. */
function outcomeOf({ code, failure, from, method }: Exchange): State {
  const w = traceWords();
  const failures: Readonly<Record<string, string>> = w.failures;
  if (failure !== '') return { tone: 'danger', shape: 'cross', word: failures[failure] ?? failure };
  if (code === '')
    return from === 'DEVICE' && method === ''
      ? { tone: 'idle', shape: 'ring', word: w.from.DEVICE }
      : { tone: 'idle', shape: 'ring', word: w.underWay };
  return code.startsWith('2.')
    ? { tone: 'good', shape: 'check', word: code }
    : { tone: 'warning', shape: 'triangle', word: code };
}

function Payload({ word, of }: { word: string; of: Content }) {
  const w = traceWords();
  const { format, bytes, values, leftOut, text, note } = of;
  return (
    <div class="small">
      <p class="quiet">
        {word}: {[format, w.bytes(bytes)].filter((part) => part !== '').join(', ')}
        {note !== '' && <span lang="en"> ({note})</span>}
      </p>
      {text !== '' && (
        <p>
          <bdi>{text}</bdi>
        </p>
      )}
      {values.length > 0 && (
        <ul>
          {values.map(({ path, resourceName, value }) => (
            <li key={path}>
              <span class="tabular">{path}</span>{' '}
              {resourceName !== '' && <bdi class="quiet">{resourceName}</bdi>} <bdi>{value}</bdi>
            </li>
          ))}
        </ul>
      )}
      {leftOut > 0 && <p class="quiet">{w.more(leftOut)}</p>}
    </div>
  );
}
