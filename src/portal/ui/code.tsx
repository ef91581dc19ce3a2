/** Text for a terminal or an editor: one block, or the same in several languages. */
import { CopyButton } from './button.tsx';
import { useSpeech } from './speech.tsx';

export interface Sample {
  /** A name of its own, shown on the tab: curl, Python. */
  readonly name: string;
  readonly code: string;
}

interface CodeProps {
  /** Of its own on the page. */
  readonly id: string;
  readonly samples: readonly [Sample, ...Sample[]];
}

/** The tabs are radio buttons, so that they work without a script; at most eight. */
export function CodeSamples({ id, samples }: CodeProps) {
  const { code } = useSpeech().common;
  return (
    <div class="samples">
      <div class="samples-tabs" role="radiogroup" aria-label={code.language}>
        {samples.map(({ name }, index) => (
          <label>
            <input class="hidden" type="radio" name={`code-${id}`} checked={index === 0} />
            {name}
          </label>
        ))}
      </div>
      {samples.map(({ code: text }) => (
        <div class="sample">
          <pre tabindex={0}>
            <code>
              <Highlighted code={text} />
            </code>
          </pre>
          <CopyButton text={text} />
        </div>
      ))}
    </div>
  );
}

/** One block. It takes the focus, so that a keyboard can scroll lines that are too wide. */
export function Code({ code }: { readonly code: string }) {
  return (
    <div class="code">
      <pre tabindex={0}>
        <code>
          <Highlighted code={code} />
        </code>
      </pre>
      <CopyButton text={code} />
    </div>
  );
}

/** Strings and comments alone: what a reader changes, and what they may skip. */
function Highlighted({ code }: { readonly code: string }) {
  const parts = code.split(/("(?:[^"\\\n]|\\.)*"|(?<=^|\s)(?:#|\/\/) .*$)/m);
  return (
    <>
      {parts.map((part, index) => {
        if (index % 2 === 0) return part;
        return <span class={part.startsWith('"') ? 'string' : 'comment'}>{part}</span>;
      })}
    </>
  );
}
