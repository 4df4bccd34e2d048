import { button, el, quoted, show } from './draw/element.ts';
import { chip, note } from './draw/state.ts';
import { type Fields, fieldsOf, listOf, textOf } from './host/fields.ts';
import { type Answer, begin, type Host, type View } from './host/host.ts';
import { cardFacts, cautions, change, receiptFacts, steps, target } from './proposal/card.ts';
import { follow } from './proposal/follow.ts';
import { isMoving, isWaiting, stateOf } from './proposal/status.ts';
import { writeList } from './proposal/writes.ts';

/**
 * A proposal of one write or several with its living receipt. It has no login and cannot decide: *Review* has the host open
 * the review page, which asks for one.
 */
function proposalView(host: Host): View {
  /** Heard by those that cannot see it, whenever it changes. */
  const spoken = el('p', '');
  spoken.setAttribute('role', 'status');
  let reason = '';
  let proposal: Fields = {};
  let latest: Fields = {};
  let trouble = '';
  let follows = '';
  let ended = false;

  const keepUp = async (actionId: string): Promise<void> => {
    follows = actionId;
    trouble = '';
    const reached = await follow(host, actionId, ({ fields }) => {
      if (ended || follows !== actionId) return false;
      latest = fields;
      draw();
      return isMoving(textOf(fields, 'status'));
    });
    if (ended || follows !== actionId) return;
    follows = '';
    trouble = reached ? '' : 'The outcome is not followed any more.';
    draw();
  };

  const review = async (url: string): Promise<void> => {
    if (host.canOpen && (await host.open(url))) return;
    trouble = 'The review page was not opened here. Its address: ';
    draw(url);
  };

  const title = (count: number): HTMLElement =>
    count > 0 ? el('h1', '', `${count} writes, all or none`) : target(proposal);

  function draw(address = ''): void {
    const status = textOf(latest, 'status');
    const url = textOf(proposal, 'reviewUrl');
    const actionId = textOf(proposal, 'actionId');
    const writes = listOf(proposal['writes']);
    const isOpen = isWaiting(status);
    const say = textOf(latest, 'say');
    if (spoken.textContent !== say) spoken.replaceChildren(quoted(say));
    const canReview = isOpen && /^https?:\/\//.test(url);
    show(
      el('div', 'head', title(writes.length), chip(stateOf(status))),
      writes.length > 0 ? null : change(proposal),
      steps(status),
      spoken,
      reason === ''
        ? null
        : el('p', 'quiet', 'Reason, in the words of the agent: ', quoted(reason)),
      ...(isOpen ? cautions(proposal) : []),
      writes.length > 0 ? writeList(writes, listOf(latest['writes']), isOpen) : null,
      cardFacts(proposal, status),
      receiptFacts(fieldsOf(latest['receipt']), textOf(proposal, 'unit')),
      trouble === '' ? null : note('warning', 'diamond', trouble, quoted(address)),
      el(
        'div',
        'row',
        canReview ? button('primary', 'Review', () => void review(url)) : null,
        host.canCall && follows === '' && status !== 'EXECUTED'
          ? button('', 'Check again', () => void keepUp(actionId))
          : null,
      ),
      canReview
        ? el('p', 'small', 'Nothing is decided here: the review page asks for a login of a person.')
        : null,
    );
  }

  show(el('p', 'quiet', 'The write is being proposed …'));
  return {
    asked: (input) => void (reason = textOf(input, 'reason').slice(0, 200)),
    answered({ isError, fields, text }: Answer) {
      if (isError || textOf(fields, 'actionId') === '') {
        show(note('danger', 'cross', text || 'Nothing was proposed.'));
        return;
      }
      proposal = fields;
      latest = fields;
      const status = textOf(fields, 'status');
      if (host.canCall && isMoving(status)) void keepUp(textOf(fields, 'actionId'));
      draw();
    },
    cancelled: () => show(el('p', 'quiet', 'The call was cancelled.')),
    ended: () => void (ended = true),
  };
}

void begin('proposal', proposalView);
