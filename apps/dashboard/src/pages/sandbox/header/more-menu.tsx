import { useNavigate } from '@tanstack/react-router'
import { EllipsisVertical, GitFork, Moon, Pencil, RotateCcw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useChange } from '../../../app/calls.ts'
import { usePerson } from '../../../app/session.ts'
import { Button } from '../../../ui/button.tsx'
import { Confirm } from '../../../ui/confirm.tsx'
import { Menu, MenuItem, MenuLine } from '../../../ui/menu.tsx'
import { toast } from '../../../ui/toasts.tsx'
import type { ShownSandbox } from '../live-sandbox.tsx'
import { EditDialog } from './edit-dialog.tsx'
import { ForkDialog } from './fork-dialog.tsx'

type Open = 'edit' | 'fork' | 'restart' | 'hibernate' | 'delete' | undefined

/** What is done with a sandbox less often. */
export function MoreMenu({ sandbox }: { sandbox: ShownSandbox }) {
  const [open, setOpen] = useState<Open>()
  const { kind } = usePerson()
  const isRunning = sandbox.status === 'RUNNING'
  const mayFork = sandbox.shape.os !== 'Android' && kind !== 'trialToken'
  const close = () => setOpen(undefined)
  return (
    <>
      <Menu
        trigger={
          <Button size="icon" aria-label="More">
            <EllipsisVertical />
          </Button>
        }
      >
        <MenuItem onSelect={() => setOpen('edit')}>
          <Pencil />
          Name and labels
        </MenuItem>
        <MenuItem isDisabled={!isRunning} onSelect={() => setOpen('restart')}>
          <RotateCcw />
          Restart
        </MenuItem>
        <MenuItem isDisabled={!isRunning} onSelect={() => setOpen('hibernate')}>
          <Moon />
          Hibernate
        </MenuItem>
        {mayFork && (
          <MenuItem onSelect={() => setOpen('fork')}>
            <GitFork />
            Fork
          </MenuItem>
        )}
        <MenuLine />
        <MenuItem isDanger onSelect={() => setOpen('delete')}>
          <Trash2 />
          Delete
        </MenuItem>
      </Menu>
      {open === 'edit' && <EditDialog sandbox={sandbox} onClose={close} />}
      {open === 'fork' && <ForkDialog sandbox={sandbox} onClose={close} />}
      <Questions sandboxId={sandbox.id} open={open} onClose={close} />
    </>
  )
}

/** What is asked before programs or data are lost. */
function Questions({ sandboxId, open, onClose }: { sandboxId: string; open: Open; onClose: () => void }) {
  const affects = ['getSandbox', 'listSandboxes'] as const
  const restart = useChange('restartSandbox', affects)
  const hibernate = useChange('hibernateSandbox', affects)
  const remove = useChange('deleteSandbox', ['listSandboxes'])
  const navigate = useNavigate()
  return (
    <>
      <Confirm
        title="Restart the sandbox?"
        about="Its files are kept. Its programs end."
        action="Restart"
        isOpen={open === 'restart'}
        isBusy={restart.isPending}
        error={restart.error}
        onClose={onClose}
        onConfirm={() => restart.mutate({ sandboxId }, { onSuccess: onClose })}
      />
      <Confirm
        title="Hibernate the sandbox?"
        about="Its files are kept, and it costs nothing until it is resumed. Its programs end."
        action="Hibernate"
        isOpen={open === 'hibernate'}
        isBusy={hibernate.isPending}
        error={hibernate.error}
        onClose={onClose}
        onConfirm={() => hibernate.mutate({ sandboxId }, { onSuccess: onClose })}
      />
      <Confirm
        title="Delete the sandbox?"
        about="Everything in it is lost, with its snapshots."
        action="Delete"
        isOpen={open === 'delete'}
        isBusy={remove.isPending}
        error={remove.error}
        onClose={onClose}
        onConfirm={() =>
          remove.mutate(
            { sandboxId },
            {
              onSuccess: () => {
                toast('The sandbox was deleted.')
                void navigate({ to: '/' })
              },
            },
          )
        }
      />
    </>
  )
}
