import type { Role } from '@sandglass/protocol'
import {
  BookOpen,
  Boxes,
  Braces,
  Building2,
  ChartColumn,
  Disc3,
  FlaskConical,
  FolderKanban,
  KeyRound,
  type LucideIcon,
  MonitorPlay,
  Plug,
  ScrollText,
  Server,
  Settings,
  Webhook,
} from 'lucide-react'
import type { Person } from './session.ts'

/** An entry of the navigation. */
export interface Place {
  readonly to: string
  readonly title: string
  readonly icon: LucideIcon
  /** Whoever has less does not see it. */
  readonly role?: Role
  /** A page of its own, outside of the dashboard. */
  readonly isElsewhere?: true
}

const help: readonly Place[] = [
  { to: '/docs/guide', title: 'Guide', icon: BookOpen, isElsewhere: true },
  { to: '/docs', title: 'API', icon: Braces, isElsewhere: true },
]

const ofOrganization: readonly Place[] = [
  { to: '/', title: 'Sandboxes', icon: MonitorPlay },
  { to: '/images', title: 'Images', icon: Disc3 },
  { to: '/mcp-servers', title: 'MCP servers', icon: Plug },
  { to: '/playground', title: 'Playground', icon: FlaskConical },
  { to: '/projects', title: 'Projects', icon: FolderKanban },
  { to: '/usage', title: 'Usage', icon: ChartColumn },
  { to: '/keys', title: 'Keys', icon: KeyRound, role: 'admin' },
  { to: '/webhooks', title: 'Webhooks', icon: Webhook, role: 'admin' },
  { to: '/audit', title: 'Audit', icon: ScrollText, role: 'owner' },
  ...help,
]

const ofTrial: readonly Place[] = [
  { to: '/', title: 'Sandboxes', icon: MonitorPlay },
  { to: '/playground', title: 'Playground', icon: FlaskConical },
  ...help,
]

const ofOperator: readonly Place[] = [
  { to: '/operator/nodes', title: 'Nodes', icon: Server },
  { to: '/operator/sandboxes', title: 'Sandboxes', icon: Boxes },
  { to: '/operator/organizations', title: 'Organizations', icon: Building2 },
  { to: '/operator/images', title: 'Images', icon: Disc3 },
  { to: '/operator/settings', title: 'Settings', icon: Settings },
  { to: '/operator/audit', title: 'Audit', icon: ScrollText },
  ...help,
]

export function placesOf({ kind }: Person): readonly Place[] {
  if (kind === 'operator') return ofOperator
  return kind === 'trialToken' ? ofTrial : ofOrganization
}
