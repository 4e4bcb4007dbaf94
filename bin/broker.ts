// The environment broker: node bin/broker.ts
import { BrokerConfig } from '#config';
import { runBroker } from './wiring/broker.ts';
import { runService } from './wiring/run-service.ts';

await runService('broker', BrokerConfig, runBroker);
