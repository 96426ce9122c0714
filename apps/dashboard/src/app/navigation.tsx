import { Link } from '@tanstack/react-router'
import { placesOf } from './places.ts'
import { rolesUpTo } from './rights.ts'
import { usePerson } from './session.ts'

const look =
  'flex items-center gap-2 rounded-md px-2 py-1.5 hover:bg-accent-soft aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium [&_svg]:size-4 [&_svg]:text-quiet'

export function Navigation({ onGo }: { onGo: () => void }) {
  const person = usePerson()
  const roles = rolesUpTo(person.role)
  return (
    <nav aria-label="Main" className="flex flex-col gap-0.5 overflow-y-auto p-2">
      {placesOf(person)
        .filter(({ role }) => !role || roles.includes(role))
        .map(({ to, title, icon: Icon, isElsewhere }) =>
          isElsewhere ? (
            <a key={to} href={to} className={look}>
              <Icon aria-hidden="true" />
              {title}
            </a>
          ) : (
            <Link key={to} to={to} activeOptions={{ exact: to === '/' }} className={look} onClick={onGo}>
              <Icon aria-hidden="true" />
              {title}
            </Link>
          ),
        )}
    </nav>
  )
}
