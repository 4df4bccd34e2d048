import { type Failure, Unreachable } from '../../client/failure.ts';
import { partWords } from '../../word/part.ts';
import { Mark } from '../value/mark.tsx';
import { messageOf } from './loaded.tsx';

/** Why a change was not made, in the server's words; that it is not known where no answer came. */
export const RefusedNote = ({ failure }: { failure: Failure | null }) =>
  failure && (
    <p class="note danger" role="alert">
      <Mark shape="cross" />
      <span>
        {failure instanceof Unreachable ? partWords().unknownEffect : messageOf(failure).text}
      </span>
    </p>
  );
