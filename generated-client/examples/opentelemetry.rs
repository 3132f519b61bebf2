//! Exports the spans of calls with OpenTelemetry, and propagates their trace context (W3C): with the variables of
//! `Platform::from_env`.
//!
//! The spans go to standard output. A service replaces that exporter with the one of `opentelemetry-otlp`, and the simple
//! processor with a batch one; nothing else changes.
#![allow(clippy::print_stdout, reason = "a program for a terminal")]

use http::{HeaderMap, HeaderName, HeaderValue};
use opentelemetry::{
    global,
    propagation::Injector,
    trace::{TraceContextExt as _, TracerProvider as _},
};
use opentelemetry_sdk::{Resource, propagation::TraceContextPropagator, trace::SdkTracerProvider};
use platform_client::{Middleware, MiddlewareFuture, Next, Outgoing, PlatformBuilder};
use tracing::{Instrument as _, Span};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::{layer::SubscriberExt as _, util::SubscriberInitExt as _};

/// Sends the trace of the current span with each attempt.
struct Traced;

struct Headers<'a>(&'a mut HeaderMap);

impl Injector for Headers<'_> {
    fn set(&mut self, name: &str, value: String) {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            self.0.insert(name, value);
        }
    }
}

impl Middleware for Traced {
    fn handle<'a>(&'a self, mut request: Outgoing, next: Next<'a>) -> MiddlewareFuture<'a> {
        let context = Span::current().context();
        global::get_text_map_propagator(|propagator| {
            propagator.inject_context(&context, &mut Headers(&mut request.headers));
        });
        next.run(request)
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let provider = SdkTracerProvider::builder()
        .with_resource(Resource::builder().with_service_name("list-projects").build())
        .with_simple_exporter(opentelemetry_stdout::SpanExporter::default())
        .build();
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("list-projects"));
    tracing_subscriber::registry().with(layer).init();
    global::set_text_map_propagator(TraceContextPropagator::new());

    let platform = PlatformBuilder::from_env()?.middleware(Traced).build()?;
    let span = tracing::info_span!("the whole work");
    println!("trace {}", span.context().span().span_context().trace_id());
    let outcome = async { platform.projects().list_projects().await }.instrument(span).await;
    // Flushes the last spans.
    provider.shutdown()?;
    println!("{} projects", outcome?.len());
    Ok(())
}
