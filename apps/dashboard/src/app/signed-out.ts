import { useQuery } from '@tanstack/react-query'
import { useNavigate, useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'
import { whoami } from './session.ts'

/** Goes to the page for signing in when the session has ended, and back here afterwards. */
export function useLeaveWhenSignedOut(): boolean {
  const { data } = useQuery({ ...whoami, refetchInterval: 30_000 })
  const navigate = useNavigate()
  const here = useRouterState({ select: state => state.location.href })
  const isSignedOut = data === null
  useEffect(() => {
    if (isSignedOut) void navigate({ to: '/sign-in', search: { to: here } })
  }, [isSignedOut, navigate, here])
  return !data
}
