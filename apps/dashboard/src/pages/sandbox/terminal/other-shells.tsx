import type { ListedShell } from '@sandglass/protocol'
import { SquareTerminal } from 'lucide-react'
import { Button } from '../../../ui/button.tsx'
import { Menu, MenuItem } from '../../../ui/menu.tsx'

/** Shells and commands that run and are not open in this page, such as those of an agent. */
export function OtherShells({
  shells,
  onAttach,
}: {
  shells: readonly ListedShell[]
  onAttach: (shell: ListedShell) => void
}) {
  if (shells.length === 0) return undefined
  return (
    <Menu
      trigger={
        <Button look="quiet" size="small">
          <SquareTerminal />
          {shells.length} running
        </Button>
      }
    >
      {shells.map(shell => (
        <MenuItem key={shell.id} onSelect={() => onAttach(shell)}>
          <span className="max-w-80 truncate font-mono text-[13px]">{shell.command}</span>
        </MenuItem>
      ))}
    </Menu>
  )
}
