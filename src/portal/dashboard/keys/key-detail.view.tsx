/** One key, drawn. */
import { stateOfKey } from '../../../identity/index.ts';
import { keysWords } from '../../languages/keys/index.ts';
import { Button, LinkButton, PostButton } from '../../ui/button.tsx';
import { Callout, Facts } from '../../ui/callout.tsx';
import { CodeSamples } from '../../ui/code.tsx';
import { wayTo } from '../../ui/navigation.ts';
import { Moment, useSpeech, useWords } from '../../ui/speech.tsx';
import { ActivityTable } from '../activity-table.tsx';
import { sayWhatKeyCanDo } from './can-do.ts';
import { RevokeDialog, RotateDialog } from './key-dialogs.tsx';
import { CanDo } from './key-form.tsx';
import { KeyStateWord } from './key-parts.tsx';
import type { KeyDetailProps } from './key-props.ts';
import { keySamples, placeholder } from './key-samples.ts';
import { Latest, TokensOfKey } from './key-tables.tsx';
import { BudgetsNow, LimitsNow, UsageOfKey } from './key-use.tsx';
import { keyPath, keysPath } from './the-key.ts';

export function KeyDetail(props: KeyDetailProps) {
  const words = useWords(keysWords);
  const { figures } = useSpeech();
  const { apiKey, mayManage, mayRotate, budgets, model, address, nowMs } = props;
  const isChangeable = mayManage && apiKey.revokedAt === null && apiKey.managedBy === null;
  const isOverlapping = apiKey.previousEndsAt !== null && apiKey.previousEndsAt.getTime() > nowMs;
  return (
    <>
      <Head {...props} isChangeable={isChangeable} />
      <Managed apiKey={apiKey} />
      <About {...props} />
      <div class="key-columns">
        <div>
          <UsageOfKey {...props} />
          <BudgetsNow {...props} />
          <LimitsNow limitReport={props.limitReport} />
          <TokensOfKey apiKey={apiKey} nowMs={nowMs} mayEnd={isChangeable && isOverlapping} />
          <Latest {...props} />
          <ActivityOfKey {...props} />
        </div>
        <CanDo sentences={sayWhatKeyCanDo(apiKey, budgets, { words, figures })} />
      </div>
      {model === undefined ? null : (
        <section class="section" aria-labelledby="setup-title">
          <h2 id="setup-title">{words.detail.setup}</h2>
          <CodeSamples
            id="setup"
            samples={keySamples({ address, model, token: placeholder }, words.token.environment)}
          />
        </section>
      )}
      {isChangeable && mayRotate ? <RotateDialog apiKey={apiKey} isOverlapping={isOverlapping} /> : null}
      {mayManage && apiKey.revokedAt === null ? <RevokeDialog apiKey={apiKey} /> : null}
    </>
  );
}

function Head({
  apiKey,
  mayManage,
  mayRotate,
  isChangeable,
  nowMs,
}: KeyDetailProps & { readonly isChangeable: boolean }) {
  const { detail: words } = useWords(keysWords);
  const { id, name, enabled, revokedAt } = apiKey;
  return (
    <div class="page-head key-head">
      <h1>{name}</h1>
      <KeyStateWord state={stateOfKey(apiKey, nowMs)} />
      <span class="grow" />
      {isChangeable ? (
        <>
          <LinkButton href={`${keyPath(id)}/edit`} icon="pencil">
            {words.edit}
          </LinkButton>
          {mayRotate ? (
            <Button command={{ does: 'show-modal', to: 'rotate' }} icon="refresh-cw">
              {words.rotate}
            </Button>
          ) : null}
          <PostButton to={`${keyPath(id)}/${enabled ? 'disable' : 'enable'}`}>
            {enabled ? words.disable : words.enable}
          </PostButton>
        </>
      ) : null}
      <LinkButton href={`${keysPath}/new?from=${id}`}>{words.duplicate}</LinkButton>
      {mayManage && revokedAt === null ? (
        <Button look="grave" command={{ does: 'show-modal', to: 'revoke' }}>
          {words.revoke}
        </Button>
      ) : null}
    </div>
  );
}

function ActivityOfKey({ activity, viewerId, names, nowMs }: KeyDetailProps) {
  const { detail: words } = useWords(keysWords);
  if (activity.length === 0) return null;
  return (
    <section class="section" aria-labelledby="activity-title">
      <div class="section-head">
        <h2 id="activity-title">{words.activity}</h2>
        <a class="link small" href={wayTo('activity', { area: 'key' })}>
          {words.allActivity}
        </a>
      </div>
      <ActivityTable entries={activity} isOwn empty={null} viewerId={viewerId} names={names} nowMs={nowMs} />
    </section>
  );
}

function Managed({ apiKey: { managedBy } }: Pick<KeyDetailProps, 'apiKey'>) {
  const { detail: words } = useWords(keysWords);
  if (managedBy === null) return null;
  return (
    <Callout>
      <p>{managedBy === 'file' ? words.declared : words.firstRun}</p>
    </Callout>
  );
}

function About({ apiKey, place, nowMs }: KeyDetailProps) {
  const { detail: words, list } = useWords(keysWords);
  const { figures } = useSpeech();
  const { ownerEmail, lastUsedAt, expiresAt, createdAt } = apiKey;
  return (
    <Facts
      items={[
        { name: words.owner, value: ownerEmail },
        ...(place.length === 0 ? [] : [{ name: words.place, value: place.join(' · ') }]),
        {
          name: words.lastUsed,
          value: lastUsedAt === null ? words.neverUsed : <Moment at={lastUsedAt} nowMs={nowMs} />,
        },
        {
          name: list.expires,
          value: expiresAt === null ? list.never : <Moment at={expiresAt} nowMs={nowMs} />,
        },
        { name: words.created, value: figures.day(createdAt) },
      ]}
    />
  );
}
