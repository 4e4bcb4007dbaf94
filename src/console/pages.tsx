import type { ComponentType } from 'preact';
import type { PageProps } from './page-props.ts';
import { FleetPage } from './pages/fleet.tsx';
import { JobsPage } from './pages/jobs.tsx';
import { LandscapePage } from './pages/landscape.tsx';
import { NewOrchestrationPage } from './pages/new-orchestration.tsx';
import { OperationPage } from './pages/operation.tsx';
import { OrchestrationPage } from './pages/orchestration.tsx';
import { OrchestrationsPage } from './pages/orchestrations.tsx';
import { OrderPage } from './pages/order.tsx';
import { RuntimePage } from './pages/runtime.tsx';
import { RuntimesPage } from './pages/runtimes.tsx';
import { UpdatePage } from './pages/update.tsx';
import type { Ability } from './session/rights.ts';

type PageEntry = {
  readonly path: string;
  /** Its name in the menu, if it is there. */
  readonly menu?: string;
  readonly needs?: Ability | 'landscape';
  readonly content: ComponentType<PageProps>;
};

/** Every page there is, in the order of the menu. */
export const pages: readonly PageEntry[] = [
  { path: '/ui/runtimes', menu: 'Runtimes', needs: 'see runtimes', content: RuntimesPage },
  { path: '/ui/order', menu: 'Order', needs: 'order runtimes', content: OrderPage },
  { path: '/ui/fleet', menu: 'Fleet', needs: 'see runtimes', content: FleetPage },
  {
    path: '/ui/orchestrations',
    menu: 'Orchestrations',
    needs: 'see orchestrations',
    content: OrchestrationsPage,
  },
  { path: '/ui/jobs', menu: 'Jobs', needs: 'steer operations', content: JobsPage },
  { path: '/ui/landscape', menu: 'Landscape', needs: 'landscape', content: LandscapePage },
  { path: '/ui/runtimes/:instanceId', content: RuntimePage },
  { path: '/ui/runtimes/:instanceId/update', needs: 'order runtimes', content: UpdatePage },
  { path: '/ui/operations/:operationId', needs: 'see runtimes', content: OperationPage },
  {
    path: '/ui/orchestrations/new',
    needs: 'steer orchestrations',
    content: NewOrchestrationPage,
  },
  {
    path: '/ui/orchestrations/:orchestrationId',
    needs: 'see orchestrations',
    content: OrchestrationPage,
  },
];
