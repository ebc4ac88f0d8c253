import { isObject, type TemplateObject, type TemplateValue } from './read-template.ts';

/**
 * The part of a resource that concerns tables but is not set up: auto scaling of replicas, and functions that read a stream. A deployment that
 * leaves such a thing out is incomplete, and says so. Undefined for unrelated resources, such as a bucket or a queue.
 */
export function notAppliedOf(type: string, resource: TemplateObject): string | undefined {
  const properties = isObject(resource.Properties) ? resource.Properties : {};
  switch (type) {
    case 'AWS::Lambda::EventSourceMapping':
      return readsStream(properties.EventSourceArn) ? 'a function that reads a stream' : undefined;
    case 'AWS::Serverless::Function':
      return isObject(properties.Events) && Object.values(properties.Events).some(isStreamEvent)
        ? 'a function that reads a stream'
        : undefined;
    case 'AWS::DynamoDB::GlobalTable':
      return properties.BillingMode !== 'PAY_PER_REQUEST' && hasMember(properties, scalingSettings)
        ? 'auto scaling of replicas'
        : undefined;
    default:
      return undefined;
  }
}

const scalingSettings: ReadonlySet<string> = new Set([
  'WriteCapacityAutoScalingSettings',
  'ReadCapacityAutoScalingSettings',
]);

/** Whether it is the ARN of a stream, or a template function that produces one. The value of a parameter or an import is not known. */
function readsStream(arn: TemplateValue | undefined): boolean {
  const text = JSON.stringify(arn ?? null);
  return /StreamArn|:dynamodb:/.test(text) || /^\{"(Ref|Fn::ImportValue)":/.test(text);
}

function isStreamEvent(event: TemplateValue): boolean {
  return isObject(event) && event.Type === 'DynamoDB';
}

function hasMember(value: TemplateValue, names: ReadonlySet<string>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(
    ([name, member]: [string, TemplateValue]) => names.has(name) || hasMember(member, names),
  );
}
