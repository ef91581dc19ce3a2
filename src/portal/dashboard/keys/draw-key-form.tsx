/** The page with the form of a key, for who makes one, changes one, or sent something that cannot be. */
import type { Context } from 'hono';
import type { Scope } from '../../../base/scope.ts';
import { type ApiKey, listDepartments, listProjects, type Session } from '../../../identity/index.ts';
import { keysWords } from '../../languages/keys/index.ts';
import type { PortalServices } from '../../services.ts';
import { renderPage } from '../../ui/document.tsx';
import { speechIn } from '../../ui/speech.tsx';
import { viewerOf } from '../../viewer.ts';
import { visitOf, wordsFor } from '../../visit.ts';
import { budgetsOf, powersOf, sayWhatKeyCanDo } from './can-do.ts';
import { lockableOf } from './key-fields.ts';
import { KeyForm } from './key-form.tsx';
import type { FormValues } from './key-values.ts';
import { lookAtRightPart } from './right-part.ts';
import { keyPath, keysPath } from './the-key.ts';

interface Looker {
  readonly context: Context;
  readonly services: PortalServices;
  readonly session: Session;
  readonly scope: Scope;
}

interface Filled {
  /** Null for a new one. */
  readonly key: ApiKey | null;
  readonly values: FormValues;
  readonly issues: Readonly<Record<string, string>>;
  /** What the form was made from, where that need not be what the key is now. */
  readonly revision?: number;
  readonly isOvertaken?: boolean;
}

export async function drawKeyForm({ context, services, session, scope }: Looker, filled: Filled) {
  const { key, values, issues, revision = key?.revision, isOvertaken = false } = filled;
  const { db } = services.storage;
  // Those of every organisation would be a list that nobody can choose from.
  const isOfAll = scope.whose === 'everybody';
  const [viewer, departments, projects] = await Promise.all([
    viewerOf(session, services),
    isOfAll ? [] : listDepartments(scope, db),
    isOfAll ? [] : listProjects(scope, db),
  ]);
  const words = wordsFor(context, keysWords);
  const { form } = words;
  const title = key === null ? form.createTitle : form.editTitle(key.name);
  const here = key === null ? keysPath : keyPath(key.id);
  return await renderPage(context, {
    title,
    layout: {
      kind: 'signed-in',
      viewer,
      trail: [
        { href: keysPath, label: words.title },
        ...(key === null ? [] : [{ href: here, label: key.name }]),
      ],
    },
    islands: ['form', 'key-form'],
    content: (
      <>
        <div class="page-head">
          <h1>{title}</h1>
        </div>
        <KeyForm
          to={key === null ? `${keysPath}/new` : here}
          cancelHref={here}
          submit={key === null ? form.create : form.save}
          values={values}
          issues={issues}
          lockable={lockableOf(services.catalogue.current())}
          departments={departments}
          projects={projects}
          choosesOwner={scope.whose !== 'person'}
          revision={revision ?? null}
          isOvertaken={isOvertaken}
          sentences={sentencesOf(context, values, services)}
        />
      </>
    ),
  });
}

/** Of the part of it that can be; what was chosen and is not offered any more is named too. */
function sentencesOf(
  context: Context,
  values: FormValues,
  { catalogue, clock }: PortalServices,
): readonly string[] {
  const lockable = lockableOf(catalogue.current());
  const looked = lookAtRightPart(values, { lockable, nowMs: clock.nowMs(), known: null });
  if (looked === undefined) return [];
  const saying = {
    words: wordsFor(context, keysWords),
    figures: speechIn(visitOf(context).language).figures,
  };
  return sayWhatKeyCanDo(powersOf(looked.asked), budgetsOf(looked.asked), saying);
}
