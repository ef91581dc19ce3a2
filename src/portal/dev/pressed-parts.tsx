/** Buttons, menus, dialogs and messages: what is pressed, and what opens. */
import { Button, CopyButton, IconButton, LinkButton, PostButton, Segments } from '../ui/button.tsx';
import { DestroyDialog, Dialog } from '../ui/dialog.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { Icon } from '../ui/icon.tsx';
import { Filter, Menu, MenuLink } from '../ui/menu.tsx';
import { Toast } from '../ui/toast.tsx';
import { Pagination, Tabs } from '../ui/way.tsx';
import { Specimen, Specimens } from './specimen.tsx';

export function PressedParts() {
  return (
    <>
      <Specimens title="Buttons">
        <Specimen name="Looks">
          <p class="row">
            <Button look="primary">Create key</Button>
            <Button>Export</Button>
            <Button look="ghost">Cancel</Button>
            <Button look="danger">Revoke key</Button>
            <Button look="grave">Revoke</Button>
            <Button look="link">Resend the mail</Button>
            <LinkButton href="/dev/ui" icon="download">
              Export CSV
            </LinkButton>
          </p>
        </Specimen>
        <Specimen name="Sizes">
          <p class="row">
            <Button size="small">Small</Button>
            <Button>Usual</Button>
            <Button size="large">Large</Button>
          </p>
        </Specimen>
        <Specimen name="Disabled, busy">
          <p class="row">
            <Button look="primary" disabled>
              Create key
            </Button>
            <Button look="primary" isBusy>
              Creating
            </Button>
            <Button isBusy>Saving</Button>
          </p>
        </Specimen>
        <Specimen name="Icon, copy">
          <p class="row">
            <IconButton icon="pencil" label="Rename" type="button" />
            <code>sluice_wCdH…Evtl</code>
            <CopyButton text="sluice_wCdH…Evtl" label="Copy the token" />
          </p>
        </Specimen>
        <Specimen name="Segments">
          <Segments
            label="Period"
            items={['24 hours', '7 days', '30 days'].map((label, index) => ({
              href: `/dev/ui?days=${index}`,
              label,
              isCurrent: index === 1,
            }))}
          />
        </Specimen>
        <Specimen name="Message">
          <div class="row">
            <PostButton to="/dev/ui?tone=good">Leave a message</PostButton>
            <PostButton to="/dev/ui?tone=bad">Leave a bad one</PostButton>
          </div>
        </Specimen>
      </Specimens>
      <Specimens title="Ways">
        <Specimen name="Tabs">
          <Tabs
            label="Parts of a key"
            items={[
              { href: '/dev/ui?tab=limits', label: 'Limits', isCurrent: true },
              { href: '/dev/ui?tab=usage', label: 'Usage', isCurrent: false },
              { href: '/dev/ui?tab=requests', label: 'Requests', isCurrent: false, count: 1204 },
            ]}
          />
        </Specimen>
        <Specimen name="Pagination">
          <Pagination page={6} pageSize={20} total={1204} hrefOf={(page) => `/dev/ui?page=${page}`} />
        </Specimen>
      </Specimens>
      <Specimens title="What opens">
        <Specimen name="Menu, filter">
          <div class="row">
            <Menu
              id="more"
              label="More of support-bot"
              opener={{ class: 'button ghost square', content: <Icon name="ellipsis" /> }}
            >
              <MenuLink href="/dev/ui">
                <Icon name="pencil" />
                Rename
              </MenuLink>
              <PostButton to="/dev/ui" look="item">
                <Icon name="refresh-cw" />
                Rotate
              </PostButton>
            </Menu>
            <Filter id="status" name="Status" options={optionsOf('any')} />
            <Filter id="state" name="State" options={optionsOf('failed')} />
          </div>
        </Specimen>
        <Specimen name="Dialog">
          <p class="row">
            <Button command={{ does: 'show-modal', to: 'create' }}>Create key</Button>
            <Button command={{ does: 'show-modal', to: 'revoke' }} look="danger">
              Revoke key
            </Button>
          </p>
          <CreateDialog />
          <DestroyDialog
            id="revoke"
            title="Revoke support-bot"
            to="/dev/ui"
            thing="support-bot"
            label="Type support-bot to confirm"
            confirm="Revoke key"
          >
            <p>Requests with this key get 401 from now on. What it has used stays in the books.</p>
          </DestroyDialog>
        </Specimen>
        <Specimen name="Toast">
          <div class="form">
            <Toast tone="good" text="support-bot is revoked." isStill />
            <Toast
              tone="bad"
              text="The key could not be revoked: it is the last one of its project."
              isStill
            />
          </div>
        </Specimen>
      </Specimens>
    </>
  );
}

const optionsOf = (current: string) =>
  ['any', 'served', 'failed'].map((label) => ({
    href: `/dev/ui?state=${label}`,
    label,
    isCurrent: label === current,
  }));

function CreateDialog() {
  return (
    <Dialog
      id="create"
      title="Create key"
      isWide
      aside={
        <>
          <h3>What this key can do</h3>
          <p>
            Spend up to <strong>$200.00 a month</strong> from the wallet, on every model.
          </p>
        </>
      }
      footer={
        <>
          <Button look="plain" command={{ does: 'close', to: 'create' }}>
            Cancel
          </Button>
          <Button look="primary">Create key</Button>
        </>
      }
    >
      <div class="form">
        <TextField
          name="dialog-name"
          label="Name"
          value="checkout-assistant"
          help="Shown in the log and on invoices."
        />
        <SelectField
          name="dialog-expires"
          label="Expires"
          value="90"
          options={[
            { value: '90', label: 'In 90 days' },
            { value: 'never', label: 'Never' },
          ]}
        />
      </div>
    </Dialog>
  );
}
