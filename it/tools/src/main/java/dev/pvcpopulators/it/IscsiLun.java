package dev.pvcpopulators.it;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A logical unit of a target, with the name and the optional CHAP credentials of an initiator.
///
/// @param target the target's iSCSI name
/// @param user the CHAP name; empty if the initiator does not use CHAP
public record IscsiLun(
    String host, int port, String target, int lun, String initiator, String user, String secret) {
  /// The initiator name that most tests use.
  public static final String INITIATOR = "iqn.2026-11.dev.pvcpopulators:first";

  /// Returns the LUN in the JSON answer of `PUT /volume`.
  public static IscsiLun of(Answer answer) {
    JsonNode iscsi = answer.json().path("iscsi");
    return new IscsiLun(
        iscsi.path("host").path("name").asText(),
        Integer.parseInt(iscsi.path("host").path("port").asText()),
        iscsi.path("portal").asText(),
        iscsi.path("lun").asInt(),
        INITIATOR,
        "",
        "");
  }

  public IscsiLun lun(int other) {
    return new IscsiLun(host, port, target, other, initiator, user, secret);
  }

  /// Returns the same LUN at another address.
  public IscsiLun at(String otherHost) {
    return new IscsiLun(otherHost, port, target, lun, initiator, user, secret);
  }

  public IscsiLun as(String otherInitiator) {
    return new IscsiLun(host, port, target, lun, otherInitiator, user, secret);
  }

  public IscsiLun chap(String otherUser, String otherSecret) {
    return new IscsiLun(host, port, target, lun, initiator, otherUser, otherSecret);
  }

  /// Returns the URL of the LUN, for programs with a separate option for the initiator's name.
  public String url() {
    String login = user.isEmpty() ? "" : user + "%" + secret + "@";
    return "iscsi://" + login + host + ":" + port + "/" + target + "/" + lun;
  }

  /// Returns the value of `--image-opts` for QEMU and its tools.
  public String options() {
    String login = user.isEmpty() ? "" : ",user=" + user + ",password-secret=chap";
    return "driver=iscsi,transport=tcp,portal="
        + host
        + ":"
        + port
        + ",target="
        + target
        + ",lun="
        + lun
        + ",initiator-name="
        + initiator
        + login;
  }

  /// Returns the arguments that QEMU's tools need before [#options]: the CHAP secret, if the
  /// initiator uses CHAP.
  public List<String> objects() {
    return user.isEmpty() ? List.of() : List.of("--object", "secret,id=chap,data=" + secret);
  }

  /// Runs iscsi-inq, which may fail.
  public Command.Ran inquiry() throws IOException {
    return Command.tried(List.of("iscsi-inq", "-i", initiator, url()));
  }

  /// Runs iscsi-ls for all targets and logical units. The program may fail.
  public Command.Ran list() throws IOException {
    String login = user.isEmpty() ? "" : user + "%" + secret + "@";
    return Command.tried(
        List.of("iscsi-ls", "-s", "-i", initiator, "iscsi://" + login + host + ":" + port));
  }

  /// Runs commands of qemu-io in one session. The commands may fail.
  public Command.Ran io(String... commands) throws IOException {
    List<String> line = new ArrayList<>(List.of("qemu-io"));
    line.addAll(objects());
    for (String command : commands) {
      line.add("-c");
      line.add(command);
    }
    line.addAll(List.of("--image-opts", options()));
    return Command.tried(line);
  }

  /// Returns the output of `qemu-img info`.
  public String info() throws IOException {
    List<String> line = new ArrayList<>(List.of("qemu-img", "info"));
    line.addAll(objects());
    line.addAll(List.of("--image-opts", options()));
    return Command.tried(line).ok().out();
  }

  /// Fails the test unless the LUN contains the disk of an image.
  public void assertHas(Path image, String format) throws IOException {
    assertHas("driver=" + format + ",file.driver=file,file.filename=" + image);
  }

  private void assertHas(String otherOptions) throws IOException {
    List<String> line = new ArrayList<>(List.of("qemu-img", "compare", "-q"));
    line.addAll(objects());
    line.addAll(List.of("--image-opts", options(), otherOptions));
    Command.tried(line).ok();
  }

  /// Copies the whole disk into a raw file.
  public void convert(Path raw) throws IOException {
    List<String> line = new ArrayList<>(List.of("qemu-img", "convert"));
    line.addAll(objects());
    line.addAll(List.of("--image-opts", options(), "-O", "raw", raw.toString()));
    Command.tried(line).ok();
  }
}
