/** A list with a sheet beside it, as a page has it. */
import { CopyButton } from '../ui/button.tsx';
import { Facts } from '../ui/callout.tsx';
import { Sheet, SheetPart, Split } from '../ui/dialog.tsx';
import { State } from '../ui/state.tsx';
import { ExampleWaterfall } from './chart-parts.tsx';
import { RequestTable } from './data-parts.tsx';

export function SheetExample() {
  return (
    <Split
      sheet={
        <Sheet
          title="gemini-2.5-flash"
          overline={
            <>
              <code>req_01JD9X4T7QZ8M2V5</code>
              <CopyButton text="req_01JD9X4T7QZ8M2V5" />
            </>
          }
          state={
            <span class="row">
              <State mood="good">200</State>
              <span class="quiet small number">22 Nov 2026, 14:32:05 UTC</span>
            </span>
          }
          closeHref="/dev/ui"
          previousHref="/dev/ui?part=sheet&row=1"
          nextHref="/dev/ui?part=sheet&row=3"
        >
          <SheetPart>
            <Facts
              items={[
                { name: 'Cost', value: '$0.02141' },
                { name: 'First token', value: '792 ms' },
                { name: 'Duration', value: '4.21 s' },
                { name: 'Key', value: 'prod-api' },
              ]}
            />
          </SheetPart>
          <SheetPart title="Attempts" note="2 attempts, streamed">
            <ExampleWaterfall />
          </SheetPart>
        </Sheet>
      }
    >
      <div class="page-head">
        <h1>Requests</h1>
      </div>
      <RequestTable />
    </Split>
  );
}
