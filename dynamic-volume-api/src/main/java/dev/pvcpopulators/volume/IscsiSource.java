package dev.pvcpopulators.volume;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.regex.Pattern;

/// A logical unit of an iSCSI target.
///
/// ```yaml
/// iscsi:
///   host:
///     name: 10.1.2.3
///     port: "3260"
///   portal: iqn.2017-01.io.kubevirt:sn.42
///   lun: 2
/// lun: 2
/// ```
///
/// The document has `lun` in two places, because some programs expect `lun` inside `iscsi`, and
/// other programs expect it beside `iscsi`. All these programs expect `port` as a string.
///
/// @param hostName address or DNS name that an initiator connects to
/// @param port TCP port, 1 to 65535
/// @param portal the target's iSCSI name, which the document calls `portal`
/// @param lun number of the logical unit, 0 to 16383 (SAM-5, flat addressing)
public record IscsiSource(String hostName, int port, String portal, int lun)
    implements VolumeSource {
  private static final Pattern PORT = Pattern.compile("[0-9]{1,5}");
  private static final int MAX_PORT = 65_535;
  private static final int MAX_LUN = 16_383;

  /// Refuses invalid values.
  ///
  /// @throws IllegalArgumentException if `hostName` or `portal` is blank, or if `port` or `lun` is
  ///   outside its range
  public IscsiSource {
    if (hostName.isBlank() || portal.isBlank()) {
      throw new IllegalArgumentException("An iSCSI source has a host and a target name");
    }
    if (port < 1 || port > MAX_PORT) {
      throw new IllegalArgumentException("Port: expected 1 to 65535, found " + port);
    }
    if (lun < 0 || lun > MAX_LUN) {
      throw new IllegalArgumentException("LUN: expected 0 to 16383, found " + lun);
    }
  }

  /// Reads a source. The document may have `lun` inside `iscsi`, beside `iscsi`, or in both places.
  ///
  /// @throws IOException if a field is missing or invalid, or if the two values of `lun` differ
  /// @throws IllegalArgumentException if a name is blank, or if the port is outside its range
  static IscsiSource read(DocumentFields fields) throws IOException {
    DocumentFields iscsi = fields.object("iscsi");
    DocumentFields host = iscsi.object("host");
    long lun = (iscsi.has("lun") ? iscsi : fields).number("lun", 0, MAX_LUN);
    if (fields.has("lun") && fields.number("lun", 0, MAX_LUN) != lun) {
      throw new IOException("Source: expected the same 'lun' in both places");
    }
    String port = host.text("port");
    if (!PORT.matcher(port).matches()) {
      throw new IOException("Source: expected a port from 1 to 65535 in digits");
    }
    return new IscsiSource(
        host.text("name"), Integer.parseInt(port), iscsi.text("portal"), (int) lun);
  }

  @Override
  public ObjectNode document() {
    ObjectNode document = JsonNodeFactory.instance.objectNode();
    ObjectNode iscsi = document.putObject("iscsi");
    iscsi.putObject("host").put("name", hostName).put("port", Integer.toString(port));
    iscsi.put("portal", portal).put("lun", lun);
    document.put("lun", lun);
    return document;
  }
}
