//! Signing in where no browser is.

use super::*;

#[tokio::test]
async fn without_a_screen_another_device_is_used_if_the_issuer_offers_it() {
    for (screen, devices, more, says) in [
        (false, true, &[][..], "enter the code WD-42"),
        (true, true, &["--device"], "enter the code WD-42"),
        (true, true, &[], "The browser opens"),
        (false, false, &[], "To sign in, open this address:"),
        (true, true, &["--no-browser"], "To sign in, open this address:"),
    ] {
        let mut bench = Bench::new();
        bench.issuer.state().devices = devices;
        if !screen {
            bench.variables.remove("DISPLAY");
        }
        // Without a browser, the user opens the printed address.
        let (mut place, _, reported) = bench.place();
        let log = Arc::clone(&reported);
        let opens = Arc::new(Mutex::new(0));
        let count = Arc::clone(&opens);
        place.tell = Arc::new(move |text| {
            if let Some(address) = text.lines().find(|line| line.contains("/authorize?")) {
                follow("")(address.trim());
            }
            *log.lock().unwrap() += text;
        });
        place.open = Arc::new(move |_| {
            *count.lock().unwrap() += 1;
            true
        });
        let url = bench.issuer.url.clone();
        let line = ["sample", "login", "--base-url", &url, "--issuer", &url, "--client-id", "app"];
        let matches = Command::new("sample").subcommands(crate::account::commands());
        let matches = matches.get_matches_from([&line, more].concat());
        let matches = matches.subcommand().unwrap().1;
        crate::account::run_in::<Sample>(&mut place, "login", matches).await.unwrap();
        let reported = reported.lock().unwrap().clone();
        assert!(reported.contains(says) && !reported.contains("canary"), "{screen} {devices} {more:?}: {reported}");
        assert_eq!(*opens.lock().unwrap(), u32::from(says.starts_with("The browser")), "{more:?}");
        assert_eq!(bench.call(None).await.unwrap(), "ada");
    }
}

#[tokio::test]
async fn a_user_who_refuses_on_the_other_device_ends_it() {
    let bench = Bench::new();
    bench.issuer.state().devices = true;
    bench.issuer.state().denies = true;
    let (exits, message) = exit(bench.login(&["--device"]).await);
    assert!(exits == Exit::Authentication && message.contains("the sign-in was refused"), "{message}");
    assert!(!bench.profiles().exists());
}
