//! stub
use crate::{Failure, Program, context::Context};
use clap::{ArgMatches, Command};
use driftless_runtime::{Client, ClientBuilder, codegen::GeneratedClient};
pub(crate) fn commands() -> Vec<Command> {
    Vec::new()
}
pub(crate) async fn run<P: GeneratedClient>(_c: &Context, _n: &str, _m: &ArgMatches) -> Result<(), Failure> {
    Ok(())
}
pub(crate) fn builder<P: GeneratedClient + std::ops::Deref<Target = Client>>(
    _p: &Program,
    _n: Option<&str>,
) -> Result<ClientBuilder<P>, Failure> {
    ClientBuilder::<P>::from_env().map_err(|e| crate::failure::failure(&e))
}
pub(crate) fn state_folder(_p: &Program) -> Result<std::path::PathBuf, Failure> {
    Ok("/tmp/state-x".into())
}
