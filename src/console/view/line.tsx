import { Note } from '../app/part/value/mark.tsx';
import { viewWords } from './words.ts';

/** Before a view has anything to show: what its call does, or why there is nothing. */
export type Displayed = { is: 'begun' } | { is: 'cancelled' } | { is: 'failed'; text: string };

export function Line({ shown, begins }: { shown: Displayed; begins: string }) {
  if (shown.is === 'failed')
    return (
      <Note tone="danger" shape="cross">
        {shown.text}
      </Note>
    );
  return <p class="quiet">{shown.is === 'begun' ? begins : viewWords().cancelled}</p>;
}
