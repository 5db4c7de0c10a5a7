//! `analytics`: the stand-in for the analytics service.

use std::{net::SocketAddr, time::Duration};

use periplus_analytics_standin::{Options, start};

use crate::{
    args::Analytics,
    exit::{CliError, Exit, Outcome},
    printer,
};

pub(crate) fn run(args: &Analytics) -> Outcome {
    let options = Options {
        address: SocketAddr::new(args.host, args.port),
        delay: Duration::from_secs(args.delay),
    };
    let address = options.address;
    super::block_on(async move {
        let server = start(options)
            .await
            .map_err(|error| CliError::usage(format!("cannot listen on {address}: {error}")))?;
        printer::note(&format!(
            "The analytics stand-in serves at {0}\n\n  published statistics; the root lists what it holds\n  use it with ANALYTICS_API_BASE_URL={0}",
            server.url()
        ));
        server
            .ended()
            .await
            .map_err(|error| CliError::answer(format!("the analytics stand-in ended: {error}")))?;
        Ok(Exit::Success)
    })
}
