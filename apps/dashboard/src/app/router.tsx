import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { Loading } from '../ui/notes.tsx'
import { NotFound, Wrong } from './failures.tsx'
import { Frame } from './frame.tsx'
import { queries } from './queries.ts'
import { whoami } from './session.ts'

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound, errorComponent: Wrong })

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { to?: string } =>
    typeof search['to'] === 'string' ? { to: search['to'] } : {},
  component: lazyRouteComponent(() => import('../pages/sign-in/sign-in-page.tsx'), 'SignInPage'),
})

/** Everything else is for people who are signed in. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: Frame,
  beforeLoad: async ({ location }) => {
    const person = await queries.ensureQueryData(whoami)
    if (!person) throw redirect({ to: '/sign-in', search: { to: location.href } })
    return { person }
  },
})

/** The first page of an operator, who has no sandboxes, is that of the nodes. */
const sandboxes = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  beforeLoad: ({ context }) => {
    if (context.person.kind === 'operator') throw redirect({ to: '/operator/nodes' })
  },
  component: lazyRouteComponent(() => import('../pages/sandboxes/sandboxes-page.tsx'), 'SandboxesPage'),
})

const newSandbox = createRoute({
  getParentRoute: () => signedIn,
  path: '/sandboxes/new',
  validateSearch: (search: Record<string, unknown>): { image?: string } =>
    typeof search['image'] === 'string' ? { image: search['image'] } : {},
  component: lazyRouteComponent(() => import('../pages/create/create-page.tsx'), 'CreatePage'),
})

const sandbox = createRoute({
  getParentRoute: () => signedIn,
  path: '/sandboxes/$sandboxId',
  validateSearch: (search: Record<string, unknown>): { tab?: string } =>
    typeof search['tab'] === 'string' ? { tab: search['tab'] } : {},
  component: lazyRouteComponent(() => import('../pages/sandbox/sandbox-page.tsx'), 'SandboxPage'),
})

const images = createRoute({
  getParentRoute: () => signedIn,
  path: '/images',
  component: lazyRouteComponent(() => import('../pages/images/images-page.tsx'), 'ImagesPage'),
})

const mcpServers = createRoute({
  getParentRoute: () => signedIn,
  path: '/mcp-servers',
  component: lazyRouteComponent(() => import('../pages/mcp-servers/mcp-servers-page.tsx'), 'McpServersPage'),
})

const keys = createRoute({
  getParentRoute: () => signedIn,
  path: '/keys',
  component: lazyRouteComponent(() => import('../pages/keys/keys-page.tsx'), 'KeysPage'),
})

const webhooks = createRoute({
  getParentRoute: () => signedIn,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('../pages/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
})

const webhook = createRoute({
  getParentRoute: () => signedIn,
  path: '/webhooks/$webhookId',
  component: lazyRouteComponent(() => import('../pages/webhooks/webhook-page.tsx'), 'WebhookPage'),
})

const usage = createRoute({
  getParentRoute: () => signedIn,
  path: '/usage',
  component: lazyRouteComponent(() => import('../pages/usage/usage-page.tsx'), 'UsagePage'),
})

const audit = createRoute({
  getParentRoute: () => signedIn,
  path: '/audit',
  component: lazyRouteComponent(() => import('../pages/audit/audit-page.tsx'), 'AuditPage'),
})

const projects = createRoute({
  getParentRoute: () => signedIn,
  path: '/projects',
  component: lazyRouteComponent(() => import('../pages/projects/projects-page.tsx'), 'ProjectsPage'),
})

const playground = createRoute({
  getParentRoute: () => signedIn,
  path: '/playground',
  component: lazyRouteComponent(() => import('../pages/playground/playground-page.tsx'), 'PlaygroundPage'),
})

const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/account',
  component: lazyRouteComponent(() => import('../pages/account/account-page.tsx'), 'AccountPage'),
})

const nodes = createRoute({
  getParentRoute: () => signedIn,
  path: '/operator/nodes',
  component: lazyRouteComponent(() => import('../pages/operator/nodes-page.tsx'), 'NodesPage'),
})

const allSandboxes = createRoute({
  getParentRoute: () => signedIn,
  path: '/operator/sandboxes',
  component: lazyRouteComponent(() => import('../pages/operator/all-sandboxes-page.tsx'), 'AllSandboxesPage'),
})

const organizations = createRoute({
  getParentRoute: () => signedIn,
  path: '/operator/organizations',
  component: lazyRouteComponent(
    () => import('../pages/operator/organizations-page.tsx'),
    'OrganizationsPage',
  ),
})

const allImages = createRoute({
  getParentRoute: () => signedIn,
  path: '/operator/images',
  component: lazyRouteComponent(() => import('../pages/operator/all-images-page.tsx'), 'AllImagesPage'),
})

const settings = createRoute({
  getParentRoute: () => signedIn,
  path: '/operator/settings',
  component: lazyRouteComponent(() => import('../pages/operator/settings-page.tsx'), 'SettingsPage'),
})

const operatorAudit = createRoute({
  getParentRoute: () => signedIn,
  path: '/operator/audit',
  component: lazyRouteComponent(
    () => import('../pages/operator/operator-audit-page.tsx'),
    'OperatorAuditPage',
  ),
})

const pages = [
  ...[sandboxes, newSandbox, sandbox, images, mcpServers, keys, webhooks, webhook, usage, audit, projects],
  ...[playground, account, nodes, allSandboxes, organizations, allImages, settings, operatorAudit],
] as const

export const router = createRouter({
  routeTree: root.addChildren([signIn, signedIn.addChildren([...pages])]),
  defaultPendingComponent: Loading,
  defaultErrorComponent: Wrong,
  defaultPreload: 'intent',
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
