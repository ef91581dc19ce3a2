/** Asking before a key gets another token, and before it is ended. */
import { type ApiKey, usualOverlapHours } from '../../../identity/index.ts';
import { keysWords } from '../../languages/keys/index.ts';
import { Button } from '../../ui/button.tsx';
import { DestroyDialog, Dialog } from '../../ui/dialog.tsx';
import { SelectField } from '../../ui/field.tsx';
import { useSpeech, useWords } from '../../ui/speech.tsx';
import { keyPath } from './the-key.ts';

const overlapHours = [0, 1, usualOverlapHours, 72, 168, 720] as const;

export function RotateDialog({
  apiKey,
  isOverlapping,
}: {
  readonly apiKey: ApiKey;
  readonly isOverlapping: boolean;
}) {
  const { rotation: words } = useWords(keysWords);
  const { action } = useSpeech().common;
  return (
    <Dialog id="rotate" title={words.title(apiKey.name)}>
      {isOverlapping ? (
        <p>{words.underWay}</p>
      ) : (
        <form class="form" method="post" action={`${keyPath(apiKey.id)}/rotate`}>
          <p>{words.detail}</p>
          <SelectField
            name="overlap_hours"
            label={words.overlap}
            value={String(usualOverlapHours)}
            options={overlapHours.map((hours) => ({
              value: String(hours),
              label:
                hours === 0
                  ? words.now
                  : hours <= usualOverlapHours
                    ? words.hours(hours)
                    : words.days(hours / 24),
            }))}
          />
          <p class="form-actions end">
            <Button command={{ does: 'close', to: 'rotate' }}>{action.cancel}</Button>
            <Button look="primary">{words.action}</Button>
          </p>
        </form>
      )}
    </Dialog>
  );
}

export function RevokeDialog({ apiKey: { id, name } }: { readonly apiKey: ApiKey }) {
  const { revocation: words } = useWords(keysWords);
  return (
    <DestroyDialog
      id="revoke"
      title={words.title(name)}
      to={`${keyPath(id)}/revoke`}
      thing={name}
      label={words.type(name)}
      confirm={words.action}
    >
      <p>{words.detail}</p>
    </DestroyDialog>
  );
}
