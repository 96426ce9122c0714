import type { CommandDefinition } from './command-definition.ts'

type Load = () => Promise<{ readonly default: CommandDefinition }>

/** The first words of all commands. Each is loaded only when it is used, so that commands start fast. */
export const commands: Readonly<Record<string, Load>> = {
  up: () => import('./commands/up.ts'),
  doctor: () => import('./commands/doctor.ts'),
  'install-service': () => import('./commands/install-service.ts'),
  cluster: () => import('./commands/cluster.ts'),
  login: () => import('./commands/login.ts'),
  logout: () => import('./commands/logout.ts'),
  whoami: () => import('./commands/whoami.ts'),
  'sign-in': () => import('./commands/sign-in.ts'),
  sandbox: () => import('./commands/sandbox.ts'),
  events: () => import('./commands/events.ts'),
  logs: () => import('./commands/logs.ts'),
  view: () => import('./commands/view.ts'),
  browser: () => import('./commands/browser.ts'),
  'port-forward': () => import('./commands/port-forward.ts'),
  adb: () => import('./commands/adb.ts'),
  cp: () => import('./commands/cp.ts'),
  screenshot: () => import('./commands/screenshot.ts'),
  act: () => import('./commands/act.ts'),
  click: () => import('./commands/click.ts'),
  type: () => import('./commands/type.ts'),
  press: () => import('./commands/press.ts'),
  parse: () => import('./commands/parse.ts'),
  shapes: () => import('./commands/shapes.ts'),
  images: () => import('./commands/images.ts'),
  volumes: () => import('./commands/volumes.ts'),
  keys: () => import('./commands/keys.ts'),
  webhooks: () => import('./commands/webhooks.ts'),
  usage: () => import('./commands/usage.ts'),
  audit: () => import('./commands/audit.ts'),
  mcp: () => import('./commands/mcp.ts'),
  completion: () => import('./commands/completion.ts'),
  __complete: () => import('./commands/complete.ts'),
}
