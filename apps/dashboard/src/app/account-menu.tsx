import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Check, CircleUserRound, LogOut, UserRound } from 'lucide-react'
import { Button } from '../ui/button.tsx'
import { Menu, MenuItem, MenuLine } from '../ui/menu.tsx'
import { serviceClient } from './client.ts'
import { forgetPerson, usePerson } from './session.ts'
import { chooseTheme, type Theme } from './theme.ts'
import { useChosenTheme } from './use-theme.ts'

const themes: readonly (readonly [Theme, string])[] = [
  ['system', 'Colours of the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
]

/** Who is signed in, the colours of the pages, and the way out. */
export function AccountMenu({ isWide = false }: { isWide?: boolean }) {
  const person = usePerson()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const theme = useChosenTheme()
  const name = person.name ?? person.id
  const leave = async () => {
    await serviceClient.endSession({ sessionId: 'current' }).catch(() => undefined)
    forgetPerson(queries)
    await navigate({ to: '/sign-in' })
  }
  return (
    <Menu
      trigger={
        <Button
          look="quiet"
          size={isWide ? 'usual' : 'icon'}
          className={isWide ? 'w-full justify-start' : ''}
        >
          <CircleUserRound />
          <span className="sr-only">Account:</span>
          <span className={isWide ? 'min-w-0 truncate text-left' : 'sr-only'}>
            {person.kind === 'operator' ? 'Operator' : (person.organization?.name ?? name)}
          </span>
        </Button>
      }
    >
      <p className="px-2 py-1 text-[13px] text-quiet">
        {name}
        {person.role && ` · ${person.role}`}
      </p>
      <MenuItem onSelect={() => void navigate({ to: '/account' })}>
        <UserRound />
        Account and sessions
      </MenuItem>
      <MenuLine />
      {themes.map(([value, title]) => (
        <MenuItem key={value} onSelect={() => chooseTheme(value)}>
          {theme === value ? <Check /> : <span className="size-4" />}
          {title}
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem onSelect={() => void leave()}>
        <LogOut />
        Sign out
      </MenuItem>
    </Menu>
  )
}
