package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The API server's proxy of a Service or pod. curl sends the requests.
///
/// @param curl the program and the options of every request
/// @param url the URL of the root of the Service or pod, with `/` at its end
record ServiceProxy(Command curl, String url) {
  private static final Pattern OFFSET = Pattern.compile("(?i)\nUpload-Offset: *([0-9]+)");

  /// Returns the proxy of a Service or pod in the tenant's namespace.
  ///
  /// @param server `HOST:PORT` of the API server, or of a valve in front of the API server
  /// @param subject the Service or pod, with scheme and port
  static ServiceProxy of(Tenant tenant, String server, String subject) {
    Command curl =
        Command.of(
            "curl",
            "-sS",
            "--cacert",
            tenant.cluster().plane().certificate(),
            "-H",
            "Authorization: Bearer " + tenant.cluster().plane().token());
    return new ServiceProxy(
        curl,
        "https://%s/api/v1/namespaces/%s/%s/proxy/".formatted(server, tenant.namespace(), subject));
  }

  /// Returns a copy of this proxy that sends this token in the field `X-Populator-Token` of each
  /// request.
  ServiceProxy token(String token) {
    return new ServiceProxy(curl.with("-H", "X-Populator-Token: " + token), url);
  }

  String get(String path) {
    return curl.with("--fail-with-body", url + path).tried().ok().out();
  }

  /// Sends a request, and returns the status of the answer; 0 if there is no answer.
  ///
  /// @param options further options of curl
  int status(String path, Object... options) {
    String printed =
        curl.with("-o", "/dev/null", "-w", "%{http_code}")
            .with(options)
            .with(url + path)
            .tried()
            .out();
    return Integer.parseInt(printed.strip());
  }

  /// Returns the number of bytes of the upload that the service has received; empty if the
  /// connection is lost.
  Optional<Long> offset() {
    Command.Ran ran = curl.with("-I", url + "upload").tried();
    if (ran.status() != 0) {
      return Optional.empty();
    }
    Matcher field = OFFSET.matcher(ran.out());
    assertTrue(field.find(), ran::toString);
    return Optional.of(Long.valueOf(field.group(1)));
  }
}
