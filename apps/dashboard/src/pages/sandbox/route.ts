import { getRouteApi, useNavigate } from '@tanstack/react-router'

export const route = getRouteApi('/signed-in/sandboxes/$sandboxId')

/** The tab in the address, and how to show another. */
export function useShownTab(usual: string): readonly [string, (tab: string) => void] {
  const { tab = usual } = route.useSearch()
  const { sandboxId } = route.useParams()
  const navigate = useNavigate()
  const show = (next: string) =>
    void navigate({
      to: '/sandboxes/$sandboxId',
      params: { sandboxId },
      search: { tab: next },
      replace: true,
    })
  return [tab, show]
}
